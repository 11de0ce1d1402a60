"""Agreement with the published implementation, on a small model with random weights."""

import pytest
import torch
from published_bert import SIZES, published_bert

from course_lib.mechanisms.losses import IGNORE
from course_lib.mechanisms.positions import count_positions
from course_lib.models.bert import Bert, BertPretraining, pretraining_loss
from course_lib.models.checkpoints import load_bert
from course_lib.models.gpt import GPT

BATCH, SEQ = 4, 9
LENGTHS = torch.tensor([9, 7, 1, 5])
RIGHT = torch.arange(SEQ) < LENGTHS[:, None]  # padding on the right
LEFT = RIGHT.flip(1)


@pytest.fixture
def published():
    return published_bert()


@pytest.fixture
def ours(published):
    model = BertPretraining(SIZES).double()
    load_bert(model, published.state_dict())
    return model


@pytest.fixture
def ids():
    return torch.randint(37, (BATCH, SEQ))


@pytest.fixture
def segments():
    return torch.randint(5, (BATCH, SEQ))


def _close(mine, theirs, name=""):
    torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-9, msg=lambda m: f"{name}: {m}")


def test_logits_loss_and_all_gradients_agree(published, ours, ids, segments):
    token_targets = torch.randint(37, (BATCH, SEQ)).masked_fill(~RIGHT, IGNORE)
    token_targets[0, 2:6] = IGNORE
    next_targets = torch.tensor([0, 1, IGNORE, 1])
    theirs = published(
        ids, attention_mask=RIGHT.long(), token_type_ids=segments,
        labels=token_targets, next_sentence_label=next_targets,
    )  # fmt: skip
    mine = ours(ids, RIGHT, segments)
    _close(mine.tokens, theirs.prediction_logits)
    _close(mine.next_sentence, theirs.seq_relationship_logits)
    my_loss = pretraining_loss(mine, token_targets, next_targets)
    _close(my_loss, theirs.loss)
    theirs.loss.backward()
    my_loss.backward()
    gradients = BertPretraining(SIZES).double()  # the same name map turns gradients into ours
    load_bert(gradients, {name: p.grad for name, p in published.named_parameters()})
    wanted = dict(gradients.named_parameters())
    for name, parameter in ours.named_parameters():
        if not name.endswith("k_proj.bias"):  # it adds the same to all scores of a query
            assert parameter.grad.abs().max() > 1e-6, name
        _close(parameter.grad, wanted[name], name)


def test_without_padding_and_segments_they_agree_too(published, ours, ids):
    theirs, mine = published(ids), ours(ids)
    _close(mine.tokens, theirs.prediction_logits)
    _close(mine.next_sentence, theirs.seq_relationship_logits)


def test_left_padding_agrees_where_they_are_told_the_positions(published, ours, ids, segments):
    theirs = published(
        ids, attention_mask=LEFT.long(), token_type_ids=segments,
        position_ids=count_positions(LEFT),
    )  # fmt: skip
    _close(ours(ids, LEFT, segments).tokens, theirs.prediction_logits)


def test_the_encoder_alone_leaves_the_heads_in_the_file(published, ids, segments):
    model = Bert(SIZES).double()
    load_bert(model, published.state_dict())
    theirs = published.bert(ids, attention_mask=RIGHT.long(), token_type_ids=segments)
    _close(model(ids, RIGHT, segments), theirs.last_hidden_state)


def _old_norms(tensors):
    names = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    return {
        next((n.replace(new, old) for new, old in names.items() if n.endswith(new)), n): t
        for n, t in tensors.items()
    }


def _without_twins(tensors):
    return {n: t for n, t in tensors.items() if ".decoder." not in n}


def _bias_of_the_decoder_alone(tensors):
    return {n: t for n, t in tensors.items() if n != "cls.predictions.bias"}


def _with_buffers(tensors):
    ids = torch.arange(11)[None]
    return {
        "bert.embeddings.position_ids": ids, "bert.embeddings.token_type_ids": 0 * ids, **tensors
    }  # fmt: skip


def _without_prefix(tensors):
    return {n.removeprefix("bert."): t for n, t in tensors.items()}


@pytest.mark.parametrize(
    "age",
    [_old_norms, _without_twins, _bias_of_the_decoder_alone, _with_buffers, _without_prefix],
)
def test_files_of_all_ages_are_read(published, ours, age):
    tensors = age(published.state_dict())
    assert tensors.keys() != published.state_dict().keys()
    model = BertPretraining(SIZES).double()
    load_bert(model, tensors)
    wanted = ours.state_dict()
    assert all(torch.equal(t, wanted[n]) for n, t in model.state_dict().items())


QUERY = "bert.encoder.layer.2.attention.self.query.weight"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: t.pop(QUERY),
         r"got 1 missing \(encoder.layer.2.attention.self.query.weight\)$"),
        (lambda t: t.pop("cls.seq_relationship.bias"),
         r"got 1 missing \(cls.seq_relationship.bias\)$"),
        (lambda t: t.pop("bert.pooler.dense.weight"), r"got 1 missing \(pooler.dense.weight\)$"),
        (lambda t: t.update({"bert.encoder.layer.3.output.dense.bias": torch.zeros(24)}),
         r"got 1 left over \(encoder.layer.3.output.dense.bias\)$"),
        (lambda t: t.update({"classifier.weight": torch.zeros(3, 24)}),
         r"got 1 left over \(classifier.weight\)$"),
        (lambda t: t.update({"qa.weight": torch.zeros(2, 24), "qa.bias": torch.zeros(2)}),
         r"got 2 left over \(qa.weight, qa.bias\)$"),
        (lambda t: t.update({"cls.predictions.decoder.weight": torch.zeros(37, 24)}),
         "decoder.weight differs from embeddings.word_embeddings.weight"),
        (lambda t: t.update({"cls.predictions.decoder.bias": torch.zeros(37)}),
         "decoder.bias differs from cls.predictions.bias"),
        (lambda t: t.update({QUERY.removeprefix("bert."): torch.zeros(24, 24)}), "two names"),
        (lambda t: t.update({"bert.embeddings.position_embeddings.weight": torch.zeros(12, 24)}),
         r"another shape \(embeddings.position_embeddings.weight needs \(11, 24\), got \(12, 24\)"),
        (lambda t: t.update({"cls.predictions.transform.LayerNorm.bias": torch.zeros(1)}),
         r"transform.LayerNorm.bias needs \(24,\), got \(1,\)"),
        (lambda t: t.update({QUERY: torch.zeros(24, 24).long()}), "weight must hold floating"),
        (lambda t: t.update({QUERY: torch.zeros(24, 24, device="meta")}), "got a meta tensor"),
        (lambda t: t.update({QUERY: [[0.0]]}), "query.weight must be a tensor, got list"),
        (lambda t: t.update({QUERY: torch.zeros(24, 24).to_sparse()}), "must be a dense tensor"),
        (lambda t: t.update({7: torch.zeros(24)}), "names that are text, got 7"),
    ],
)  # fmt: skip
def test_a_wrong_checkpoint_changes_nothing(published, spoil, message, unchecked):
    tensors = dict(published.state_dict())
    spoil(tensors)
    model = BertPretraining(SIZES).double()
    before = {name: p.clone() for name, p in model.named_parameters()}
    with pytest.raises((ValueError, TypeError), match=message):
        load_bert(model, tensors)
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())


def test_an_encoder_refuses_what_is_neither_its_own_nor_a_head(published):
    tensors = {**published.state_dict(), "classifier.bias": torch.zeros(3)}
    with pytest.raises(ValueError, match=r"got 1 left over \(classifier.bias\)$"):
        load_bert(Bert(SIZES), tensors)


def test_other_models_and_other_files_are_named(published, unchecked):
    gpt = GPT.__new__(GPT)
    with pytest.raises(TypeError, match="model must be a Bert or a BertPretraining, got GPT"):
        load_bert(gpt, published.state_dict())
    with pytest.raises(TypeError, match="tensors must map names to tensors, got str"):
        load_bert(Bert(SIZES), "model.safetensors")
    with torch.device("meta"):
        empty = Bert(SIZES)
    with pytest.raises(ValueError, match="model must hold numbers .* embedding.tokens.weight"):
        load_bert(empty, published.state_dict())


def test_models_that_cannot_be_filled_are_named_and_left(published):
    with torch.inference_mode():
        frozen = BertPretraining(SIZES).double()
    with pytest.raises(ValueError, match="model must not be made in inference mode"):
        load_bert(frozen, published.state_dict())
    with torch.device("meta"):
        untied = BertPretraining(SIZES).double()
    untied.to_empty(device="cpu")
    with pytest.raises(ValueError, match="got mlm_head.decoder.weight as well: is its output"):
        load_bert(untied, published.state_dict())
