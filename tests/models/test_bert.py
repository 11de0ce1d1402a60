import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from influence import influence

from course_lib.config import BertConfig, GPTConfig
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.models.bert import Bert, BertPretraining, PretrainingLogits, pretraining_loss

CONFIG = BertConfig(
    vocab_size=13, max_seq_len=11, d_model=12, n_layers=2, n_heads=3, d_ff=20, n_segments=5
)
TURNED = replace(CONFIG, positions="rotary", qk_norm=True)


def _off_its_start(model):
    """Move every parameter away from 0 and 1, so that each one counts."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model.double()


@pytest.fixture
def model():
    return _off_its_start(BertPretraining(CONFIG))


def _padded(x, left, right, filling):
    """Put columns before and behind; `filling` makes them."""
    return torch.cat([filling(len(x), left), x, filling(len(x), right)], dim=1)


def _ids(*shape):
    return torch.randint(13, shape)


def _segments(*shape):
    return torch.randint(5, shape)


@settings(max_examples=25, deadline=None)
@given(
    config=st.sampled_from([CONFIG, TURNED]), left=st.integers(0, 4), right=st.integers(0, 4),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_padding_on_either_side_changes_no_real_position(config, left, right, seed):
    torch.manual_seed(seed)
    model = _off_its_start(BertPretraining(config))
    ids, segments = _ids(2, 3), _segments(2, 3)
    alone = model(ids, segment_ids=segments)
    real = _padded(torch.ones(2, 3).bool(), left, right, lambda *shape: torch.zeros(shape).bool())
    padded = model(
        _padded(ids, left, right, _ids), real, _padded(segments, left, right, _segments)
    )  # fmt: skip
    torch.testing.assert_close(padded.tokens[:, left : left + 3], alone.tokens, rtol=0, atol=1e-12)
    torch.testing.assert_close(padded.next_sentence, alone.next_sentence, rtol=0, atol=1e-12)


@pytest.mark.parametrize("config", [CONFIG, TURNED])
def test_order_matters_with_either_kind_of_positions(config):
    model = _off_its_start(Bert(config))
    ids = torch.tensor([[3, 1, 4, 2, 5]])
    there, back = model(ids), model(ids.flip(1)).flip(1)
    assert not torch.allclose(there, back, rtol=0, atol=1e-3)
    if config is TURNED:  # no table: without turning, attention would not see any order
        for block in model.blocks:
            block.attn.rotary = None
        torch.testing.assert_close(model(ids), model(ids.flip(1)).flip(1))


def test_queries_and_keys_of_any_size_give_the_same_answers_with_qk_norm():
    for config, same in ((TURNED, True), (replace(TURNED, qk_norm=False), False)):
        torch.manual_seed(0)
        model, ids = _off_its_start(Bert(config)), _ids(2, 5)
        before = model(ids)
        with torch.no_grad():
            for part in (model.blocks[0].attn.q_proj, model.blocks[1].attn.k_proj):
                part.weight.mul_(7)
                part.bias.mul_(7)
        assert torch.allclose(model(ids), before, rtol=0, atol=1e-4) is same


def test_padding_that_is_not_said_to_be_some_changes_real_positions(model):
    ids = _ids(2, 3)
    padded = model(_padded(ids, 0, 3, _ids))
    assert (padded.tokens[:, :3] - model(ids).tokens).abs().max() > 1e-3


def test_texts_of_several_lengths_keep_out_of_each_other(model):
    ids, lengths = _ids(4, 7), torch.tensor([7, 1, 4, 6])
    together = model(ids, torch.arange(7) < lengths[:, None])
    for text, length in enumerate(lengths.tolist()):
        alone = model(ids[text : text + 1, :length])
        torch.testing.assert_close(together.tokens[text, :length], alone.tokens[0])
        torch.testing.assert_close(together.next_sentence[text], alone.next_sentence[0])


@pytest.mark.parametrize("n_layers", [1, 3])
def test_every_position_knows_of_every_real_one_and_of_no_padding(n_layers):
    model = _off_its_start(Bert(BertConfig(13, 11, d_model=12, n_layers=n_layers, n_heads=3)))
    real = torch.tensor([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    slopes = influence(lambda ids: model(ids, real), model.embedding.tokens, _ids(3, 6))
    for text in range(3):
        among_real = slopes[text][:, real[text]]
        assert (among_real > 1e-9).all()
        into_real = slopes[text][real[text]][:, ~real[text]]
        assert (into_real == 0).all()


def test_order_segments_and_tokens_all_count(model):
    ids = torch.arange(6)[None]
    plain = model.bert(ids)
    for changed in (
        model.bert(ids, segment_ids=torch.tensor([[0, 0, 0, 1, 1, 1]])),
        model.bert(ids.flip(1)).flip(1),
        model.bert(ids + 1),
    ):
        assert (changed - plain).abs().max() > 1e-3


def test_dropout_acts_in_training_alone():
    settings = dict(vocab_size=13, max_seq_len=11, d_model=12, n_layers=2, n_heads=3)
    ids = _ids(2, 5)
    dropping = BertPretraining(BertConfig(**settings, dropout=0.3))
    first, again = dropping(ids).tokens, dropping(ids).tokens
    assert not torch.equal(first, again)
    dropping.eval()
    assert torch.equal(dropping(ids).tokens, dropping(ids).tokens)
    never = BertPretraining(BertConfig(**settings)).train()
    assert torch.equal(never(ids).tokens, never(ids).tokens)


def test_weights_start_with_the_stated_spread_and_no_bias():
    config = BertConfig(400, 100, d_model=96, n_layers=3, n_heads=4, n_segments=90, init_std=0.05)
    model = BertPretraining(config)
    # A normal distribution cut off at two standard deviations has a spread of 0.8796 of them;
    # each matrix but the last holds over 8,000 draws: one standard error is below 0.7%.
    for module in (
        model.bert.embedding.tokens,
        model.bert.embedding.positions,
        model.bert.embedding.segments,
        model.bert.blocks[2].attn.out_proj,
        model.bert.blocks[0].ffn.narrow,
        model.mlm_head.dense,
        model.pooler.dense,
    ):
        assert module.weight.std().item() == pytest.approx(0.8796 * 0.05, rel=0.035)
    assert model.nsp_head.dense.weight.std().item() == pytest.approx(0.8796 * 0.05, rel=0.25)
    for name, parameter in model.named_parameters():
        if "norm" in name:
            assert (parameter == (1 if name.endswith("weight") else 0)).all(), name
        elif name.endswith("bias"):
            assert (parameter == 0).all(), name
        else:
            assert parameter.abs().max() <= 0.1, name


def test_an_untrained_model_guesses_about_evenly():
    model, ids = BertPretraining(CONFIG), _ids(5, 9)
    logits = model(ids)
    assert cross_entropy(logits.tokens, ids).item() == pytest.approx(math.log(13), abs=0.1)
    zeros = torch.zeros(5, dtype=torch.int64)
    assert cross_entropy(logits.next_sentence, zeros).item() == pytest.approx(math.log(2), abs=0.1)


def test_the_loss_is_the_sum_of_both_means():
    logits = PretrainingLogits(torch.randn(3, 4, 7), torch.randn(3, 2))
    targets = torch.full((3, 4), IGNORE)
    targets[0, 1], targets[2, 3] = 5, 0
    log_p = logits.tokens.log_softmax(-1)
    by_hand = -(log_p[0, 1, 5] + log_p[2, 3, 0]) / 2
    log_p = logits.next_sentence.log_softmax(-1)
    by_hand -= (log_p[0, 1] + log_p[1, 0] + log_p[2, 0]) / 3
    torch.testing.assert_close(pretraining_loss(logits, targets, torch.tensor([1, 0, 0])), by_hand)


@pytest.mark.parametrize(
    ("tokens", "next_", "message"),
    [
        ([[IGNORE] * 4], [0], "token_targets: targets must hold at least one scored position"),
        ([[7, 0, 0, 0]], [0], r"token_targets: targets must lie in \[0, vocab=7\).*got 7"),
        ([[0, 0, 0, 0]], [2], r"next_targets: targets must lie in \[0, vocab=2\).*got 2"),
        ([[0, 0, 0, 0]], [0, 1], "next_targets: targets must hold one id for each position"),
        ([[0, 0, 0]], [0], "token_targets: targets must hold one id for each position"),
    ],
)
def test_bad_targets_say_whose_they_are(tokens, next_, message, unchecked):
    logits = PretrainingLogits(torch.randn(1, 4, 7), torch.randn(1, 2))
    with pytest.raises(ValueError, match=message):
        pretraining_loss(logits, torch.tensor(tokens), torch.tensor(next_))


IDS = torch.zeros(2, 6, dtype=torch.int64)
REAL = torch.ones(2, 6).bool()


@pytest.mark.parametrize(
    ("ids", "real", "segments", "error", "message"),
    [
        (IDS + 13, None, None, ValueError, r"token_ids must lie in \[0, vocab_size=13\), got 13"),
        (IDS - 1, None, None, ValueError, "token_ids must lie in"),
        (IDS[0], None, None, ValueError, r"token_ids must have shape \(batch, seq\)"),
        (IDS.double(), None, None, TypeError, "token_ids must hold whole numbers"),
        ([[0]], REAL, None, TypeError, "token_ids must be a tensor, got list"),
        (IDS.repeat(1, 2), None, None, ValueError, "max_seq_len=11"),
        (IDS, None, IDS + 5, ValueError, r"segment_ids must lie in \[0, n_segments=5\), got 5"),
        (IDS, None, IDS[:1], ValueError, "segment_ids must hold one entry for each token"),
        (IDS, None, IDS.bool(), TypeError, "segment_ids must hold whole numbers"),
        (IDS, REAL[:1], None, ValueError, "real must hold one entry for each token"),
        (IDS, REAL[:, :5], None, ValueError, "real must hold one entry for each token"),
        (IDS, ~REAL, None, ValueError, "real must mark at least one token of each text"),
        (IDS, REAL.long(), None, TypeError, "real must be bool, True where"),
        (IDS, [[True]], None, TypeError, "real must be a tensor, got list"),
    ],
)
def test_bad_input_is_named(ids, real, segments, error, message, unchecked):
    with pytest.raises(error, match=message):
        Bert(CONFIG)(ids, real, segments)


def test_mixed_precision_goes_forward_and_back():
    model = BertPretraining(CONFIG)
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(_ids(2, 6), torch.tensor([[1] * 6, [1, 1, 1, 0, 0, 0]]).bool())
    (logits.tokens.float().square().mean() + logits.next_sentence.float().sum()).backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("kind", [Bert, BertPretraining])
def test_a_configuration_of_the_other_family_is_named(kind, unchecked):
    with pytest.raises(TypeError, match="config must be a BertConfig, got GPTConfig"):
        kind(GPTConfig(13, 11, d_model=12, n_layers=2, n_heads=3))
