import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from published_bert import SIZES
from transformers import BertConfig as TheirConfig
from transformers import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)

from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.models.bert import Bert, BertPretraining
from course_lib.models.checkpoints import load_bert
from course_lib.models.fine_tuned import FineTuned, best_span, span_loss
from course_lib.models.heads import SentenceHead, SpanHead, SpanLogits, TagHead

IDS = torch.randint(1, 37, (4, 9), generator=torch.Generator().manual_seed(3))
SEGMENTS = torch.tensor([[0] * 4 + [1] * 5] * 4)
REAL = torch.arange(9) < torch.tensor([[9], [6], [8], [5]])


def theirs(kind, n_labels):
    """A model of transformers in float64 with every parameter off its special start."""
    config = TheirConfig(
        vocab_size=37, max_position_embeddings=11, hidden_size=24, num_hidden_layers=3,
        num_attention_heads=6, intermediate_size=20, type_vocab_size=5, num_labels=n_labels,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0, pad_token_id=None,
    )  # fmt: skip
    model = kind(config).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def ours(published, head):
    model = FineTuned(Bert(SIZES), head).double()
    load_bert(model.encoder, published.bert.state_dict())
    layer = getattr(published, "classifier", None) or published.qa_outputs
    model.head.dense.load_state_dict(layer.state_dict())
    if isinstance(head, SentenceHead):
        model.head.pooler.load_state_dict(published.bert.pooler.state_dict())
    return model


def same_gradients(model, published):
    """The table at one end, the new layer at the other."""
    layer = getattr(published, "classifier", None) or published.qa_outputs
    torch.testing.assert_close(model.head.dense.weight.grad, layer.weight.grad)
    torch.testing.assert_close(
        model.encoder.embedding.tokens.weight.grad,
        published.bert.embeddings.word_embeddings.weight.grad,
    )


def test_sentences_agree_with_transformers():
    published = theirs(BertForSequenceClassification, 3)
    model, labels = ours(published, SentenceHead(24, 3)), torch.tensor([2, 0, 1, 1])
    wanted = published(IDS, REAL.long(), SEGMENTS, labels=labels)
    logits = model(IDS, REAL, SEGMENTS)
    torch.testing.assert_close(logits, wanted.logits)
    loss = cross_entropy(logits, labels)
    torch.testing.assert_close(loss, wanted.loss)
    loss.backward(), wanted.loss.backward()
    same_gradients(model, published)


def test_tags_agree_with_transformers():
    published = theirs(BertForTokenClassification, 5)
    model = ours(published, TagHead(24, 5))
    labels = torch.where(REAL, IDS % 5, IGNORE)
    labels[:, 0] = IGNORE
    wanted = published(IDS, REAL.long(), SEGMENTS, labels=labels)
    logits = model(IDS, REAL, SEGMENTS)
    torch.testing.assert_close(logits[REAL], wanted.logits[REAL])
    loss = cross_entropy(logits, labels)
    torch.testing.assert_close(loss, wanted.loss)
    loss.backward(), wanted.loss.backward()
    same_gradients(model, published)


def test_spans_agree_with_transformers():
    published = theirs(BertForQuestionAnswering, 2)
    model = ours(published, SpanHead(24))
    starts, ends = torch.tensor([4, 0, 6, 8]), torch.tensor([5, 0, 8, 8])
    wanted = published(IDS, None, SEGMENTS, start_positions=starts, end_positions=ends)
    logits = model(IDS, None, SEGMENTS)
    torch.testing.assert_close(logits.start, wanted.start_logits)
    torch.testing.assert_close(logits.end, wanted.end_logits)
    loss = span_loss(logits, starts, ends)
    torch.testing.assert_close(loss, wanted.loss)
    loss.backward(), wanted.loss.backward()
    same_gradients(model, published)


@pytest.mark.parametrize("head", [SentenceHead(24, 3), TagHead(24, 4), SpanHead(24)])
def test_padding_changes_nothing(head):
    model = FineTuned(Bert(SIZES), head).double().eval()
    alone = model(IDS[3:, :5], None, SEGMENTS[3:, :5])
    padded = model(IDS, REAL, SEGMENTS)
    if isinstance(head, SpanHead):
        for one, other in zip(alone, padded, strict=True):
            torch.testing.assert_close(other[3, :5], one[0])
            assert (other[3, 5:] == -torch.inf).all()
    elif isinstance(head, TagHead):
        torch.testing.assert_close(padded[3, :5], alone[0])
    else:
        torch.testing.assert_close(padded[3], alone[0])


def test_the_encoder_is_a_copy_and_the_pooler_is_taken_over():
    whole = BertPretraining(SIZES)
    model = FineTuned(whole, SentenceHead(24, 3))
    for ours, pretrained in ((model.encoder, whole.bert), (model.head.pooler, whole.pooler)):
        here, there = ours.state_dict(), pretrained.state_dict()
        assert all(torch.equal(here[name], there[name]) for name in there)
        assert not {p.data_ptr() for p in ours.parameters()} & {
            p.data_ptr() for p in pretrained.parameters()
        }
    assert model.head.dense.weight.abs().max() <= 2 * SIZES.init_std
    assert not model.head.dense.bias.any()
    bare = FineTuned(whole.bert, SentenceHead(24, 3))
    assert not torch.equal(bare.head.pooler.dense.weight, whole.pooler.dense.weight)


def test_dropout_is_only_there_in_training():
    x = torch.randn(2, 3, 24)
    for head in (SentenceHead(24, 2, dropout=0.5), TagHead(24, 2, dropout=0.5)):
        assert not torch.equal(head(x), head(x))
        head.eval()
        assert torch.equal(head(x), head(x))


def brute_force(logits, allowed, longest):
    """All pairs in the right order, one by one."""
    found = []
    for start, end, may in zip(logits.start, logits.end, allowed, strict=True):
        pairs = [
            (start[i] + end[j], -i, -j)
            for i in range(len(may)) for j in range(i, len(may))
            if may[i] and may[j] and (longest is None or j - i < longest)
        ]  # fmt: skip
        _, i, j = max(pairs)
        found.append([-i, -j])
    return found


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), seq=st.integers(1, 8), longest=st.none() | st.integers(1, 4))
def test_the_best_span_is_the_best_of_all_pairs(seed, seq, longest):
    draw = torch.Generator().manual_seed(seed)
    logits = SpanLogits(*torch.randn(2, 3, seq, generator=draw).unbind())
    allowed = torch.rand(3, seq, generator=draw) < 0.6
    allowed[:, seed % seq] = True
    assert best_span(logits, allowed, longest).tolist() == brute_force(logits, allowed, longest)


def test_what_does_not_fit_is_named(unchecked):
    with pytest.raises(TypeError, match="pretrained must be a BERT, got Linear"):
        FineTuned(torch.nn.Linear(2, 2), SpanHead(24))
    with pytest.raises(TypeError, match="head must be one of heads.py's, got Linear"):
        FineTuned(Bert(SIZES), torch.nn.Linear(24, 2))
    with pytest.raises(ValueError, match="n_classes must be a whole number >= 1, got 0"):
        SentenceHead(24, 0)
    with pytest.raises(ValueError, match="x must be 24 wide"):
        TagHead(24, 2)(torch.randn(2, 3, 20))
    logits = SpanLogits(torch.zeros(2, 3), torch.zeros(2, 3))
    with pytest.raises(ValueError, match="allowed must leave each text at least one position"):
        best_span(logits, torch.tensor([[True, True, False], [False] * 3]))
