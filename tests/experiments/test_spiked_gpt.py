import math

import pytest
import torch

from course_lib.experiments.spiked_gpt import (
    CALM_GROWN_QK,
    CALM_QK,
    CALM_VO,
    CLIP,
    CORRUPTED,
    GROWTH,
    INJURIES,
    LOWER,
    LR,
    NOTHING,
    NOTICED,
    ONSET,
    OVERFLOW,
    QK_NORM,
    RATE,
    REMEDIES,
    REWIND,
    REWIND_LOWER,
    SKIP,
    _Run,
    healthy_models,
    inject,
    smudged_texts,
)  # fmt: skip
from course_lib.experiments.watched_attention import WatchedAttention
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.losses import IGNORE
from course_lib.mechanisms.masks import causal_mask

IN = {"q and k": (".q_proj.", ".k_proj."), "v and out": (".v_proj.", ".out_proj.")}


@pytest.fixture(scope="module")
def healthy():
    return healthy_models(n_steps=24)


def runs(healthy, injury, remedies, n_steps=NOTICED + 3):
    return list(inject(healthy, injury, remedies, n_steps))


def losses(steps, remedy):
    return [step.losses[remedy] for step in steps]


def test_one_repeated_letter_in_ten_is_smudged_and_read_as_graded():
    ids, targets = smudged_texts(torch.Generator().manual_seed(0))
    assert (targets[:, :11] == IGNORE).all() and (targets[:, 11:] != IGNORE).all()
    assert torch.equal(ids[:, 12:], targets[:, 11:-1])
    smudged = (targets[:, 11:] != ids[:, :12]).float().mean()
    assert 0.02 < smudged < 0.2


def test_watched_attention_is_attention_until_it_is_told_otherwise():
    torch.manual_seed(0)
    plain = MultiHeadAttention(8, 2)
    x, visible = torch.randn(3, 5, 8), causal_mask(5)
    watched = WatchedAttention(plain, qk_norm=False)
    torch.testing.assert_close(watched(x, visible), plain(x, visible))
    assert watched.largest > 0
    normed = WatchedAttention(plain, qk_norm=True)
    before = normed(x, visible)
    with torch.no_grad():
        for proj in (normed.q_proj, normed.k_proj):
            proj.weight.mul_(1000)
            proj.bias.mul_(1000)
    torch.testing.assert_close(normed(x, visible), before, rtol=0.01, atol=0.01)
    assert normed.largest <= 4.01  # d_head
    normed.qk_norm, normed.score_dtype = False, torch.float16
    assert normed(x, visible).isnan().any()


def test_until_the_onset_all_are_alike_but_for_clipping(healthy):
    for injury in (CORRUPTED, GROWTH, RATE):
        steps = runs(healthy, injury, (NOTHING, SKIP, LOWER, REWIND), ONSET - 1)
        for remedy in (SKIP, LOWER, REWIND):
            assert losses(steps, remedy) == losses(steps, NOTHING)


def test_an_injury_starts_at_its_step(healthy):
    unhurt = losses(runs(healthy, None, (NOTHING,)), NOTHING)
    for injury, first in ((CORRUPTED, ONSET + 1), (GROWTH, ONSET), (RATE, ONSET + 1)):
        hurt = losses(runs(healthy, injury, (NOTHING,)), NOTHING)
        assert hurt[: first - 1] == unhurt[: first - 1] and hurt[first - 1] != unhurt[first - 1]


def test_skip_keeps_out_exactly_the_corrupted_batches(healthy):
    steps = runs(healthy, CORRUPTED, (NOTHING, SKIP))
    after = ONSET + 3
    assert losses(steps, SKIP)[ONSET : after] != losses(steps, NOTHING)[ONSET : after]
    assert max(losses(steps, SKIP)[after:]) < max(losses(steps, NOTHING)[after:])


def test_rewinding_goes_back_to_the_weights_from_before(healthy):
    steps = runs(healthy, GROWTH, (NOTHING, REWIND, LOWER))
    assert losses(steps, REWIND)[NOTICED - 1] != losses(steps, NOTHING)[NOTICED - 1]
    assert losses(steps, LOWER)[NOTICED - 1] == losses(steps, NOTHING)[NOTICED - 1]
    assert losses(steps, LOWER)[NOTICED] != losses(steps, NOTHING)[NOTICED]


def test_overflow_ends_every_run_but_those_that_rewind_or_normalise(healthy):
    wide = runs(healthy, OVERFLOW, REMEDIES, NOTICED + 12)
    last = wide[-1].losses
    ended = {remedy for remedy in REMEDIES if math.isnan(last[remedy])}
    assert ended <= {NOTHING, CLIP, SKIP, LOWER}
    assert math.isfinite(last[REWIND]) and math.isfinite(last[REWIND_LOWER])
    assert math.isfinite(last[QK_NORM])


def test_a_healthy_model_is_not_changed_and_seeds_repeat(healthy):
    before = [p.clone() for p in healthy.plain.model.parameters()]
    rng = torch.get_rng_state()
    for injury in INJURIES:
        one, two = (runs(healthy, injury, (NOTHING,), ONSET + 2) for _ in range(2))
        assert one == two
    assert torch.equal(rng, torch.get_rng_state())
    for a, b in zip(before, healthy.plain.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_corrupted_batch_has_a_loss_of_its_own(healthy):
    for step in runs(healthy, CORRUPTED, (NOTHING,), ONSET + 4):
        bad = ONSET <= step.step < ONSET + 3
        assert (step.batch_losses != step.losses) == bad


def test_scores_that_are_wide_enough_do_not_overflow(healthy):
    narrow, wide = (
        list(inject(healthy, OVERFLOW, (NOTHING,), NOTICED + 12, score_dtype=dtype))[-1]
        for dtype in (torch.float16, torch.float32)
    )
    assert math.isnan(narrow.losses[NOTHING]) and math.isfinite(wide.losses[NOTHING])
    assert wide.scores[NOTHING] > 65504


def test_to_rewind_and_lower_does_both(healthy):
    steps = runs(healthy, RATE, (REWIND, REWIND_LOWER), NOTICED + 2)
    one, both = losses(steps, REWIND), losses(steps, REWIND_LOWER)
    assert one[:NOTICED] == both[:NOTICED] and one[NOTICED] != both[NOTICED]
    run = _Run(REWIND_LOWER, RATE, healthy, 30.0)
    assert run._rate(NOTICED, "the rest") == pytest.approx(3 * LR)


def test_queries_and_keys_that_are_grown_make_large_scores(healthy):
    last = runs(healthy, RATE, (CALM_QK, CALM_GROWN_QK))[-1].scores
    assert last[CALM_GROWN_QK] > 50 * last[CALM_QK]


@pytest.mark.parametrize(("test", "calm"), [(CALM_QK, "q and k"), (CALM_VO, "v and out")])
def test_the_high_rate_is_kept_from_one_part_alone(healthy, test, calm):
    before = dict(healthy.plain.model.named_parameters())
    run = _Run(test, RATE, healthy, 1000.0)
    texts = torch.Generator().manual_seed(0)
    run.step(ONSET, *smudged_texts(texts))
    for name, weight in run.model.named_parameters():
        if name.endswith("k_proj.bias"):
            continue  # adds the same to all scores of a query, so it has no gradient
        moved = (weight - before[name]).abs().max()
        assert (moved < 0.1) == any(part in name for part in IN[calm]), name


def test_bad_input_is_named_at_the_call(healthy):
    with pytest.raises(ValueError, match="injury must be None or one of"):
        inject(healthy, "rain")
    with pytest.raises(ValueError, match="remedies must be some of"):
        inject(healthy, RATE, ("tea",))
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 20, got 3"):
        healthy_models(3)
