import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.masking import Masking, mask_tokens, masks_of_epoch, share_ever_selected
from course_lib.mechanisms.losses import IGNORE

PAD, CLS, SEP, MASK, VOCAB = 0, 1, 2, 3, 40
BERT = Masking(MASK, VOCAB, (PAD, CLS, SEP))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def ordinary(*shape, seed=0):
    return torch.randint(4, VOCAB, shape, generator=seeded(seed))


def near(share, p, n):
    """Within five standard errors of a share over n coins."""
    return abs(share - p) < 5 * math.sqrt(p * (1 - p) / n)


def test_the_shares_are_those_of_the_paper():
    ids = ordinary(1000, 300)
    masked = mask_tokens(ids, BERT, seeded(1))
    selected = masked.targets != IGNORE
    n = int(selected.sum())
    assert near(n / ids.numel(), 0.15, ids.numel())
    found, was = masked.token_ids[selected], ids[selected]
    assert near((found == MASK).double().mean().item(), 0.8, n)
    # A random token is the old one by chance, one time in 36.
    assert near((found == was).double().mean().item(), 0.1 + 0.1 / 36, n)
    assert near(((found != MASK) & (found != was)).double().mean().item(), 0.1 * 35 / 36, n)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 30))
def test_what_is_not_selected_stays_and_the_targets_are_what_was_there(seed, n_texts, length):
    ids = torch.randint(VOCAB, (n_texts, length), generator=seeded(seed))
    before = ids.clone()
    masked = mask_tokens(ids, BERT, seeded(seed + 1))
    selected = masked.targets != IGNORE
    assert torch.equal(masked.token_ids[~selected], ids[~selected])
    assert torch.equal(masked.targets[selected], ids[selected])
    assert not torch.isin(ids[selected], torch.tensor(BERT.special_ids)).any()
    assert torch.equal(ids, before)


def test_special_tokens_are_never_put_in():
    all_random = Masking(MASK, VOCAB, (PAD, CLS, SEP), rate=1, as_mask=0, as_random=1)
    masked = mask_tokens(ordinary(200, 50), all_random, seeded())
    assert set(masked.token_ids.unique().tolist()) == set(range(4, VOCAB))


@pytest.mark.parametrize(("as_mask", "as_random"), [(1, 0), (0, 1), (0, 0)])
def test_each_fate_alone(as_mask, as_random):
    ids = ordinary(3, 7)
    masked = mask_tokens(ids, Masking(MASK, VOCAB, rate=1, as_mask=as_mask, as_random=as_random),
                         seeded())  # fmt: skip
    assert torch.equal(masked.targets, ids)
    if as_mask:
        assert (masked.token_ids == MASK).all()
    elif not as_random:
        assert torch.equal(masked.token_ids, ids)


def test_rate_0_selects_nothing():
    ids = ordinary(4, 9)
    masked = mask_tokens(ids, Masking(MASK, VOCAB, rate=0), seeded())
    assert torch.equal(masked.token_ids, ids)
    assert (masked.targets == IGNORE).all()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_one_text_and_other_whole_numbers(dtype):
    masked = mask_tokens(ordinary(11).to(dtype), BERT, seeded())
    assert masked.token_ids.dtype == masked.targets.dtype == torch.int64
    assert masked.token_ids.shape == (11,)


def test_the_same_generator_state_gives_the_same_masks():
    ids = ordinary(5, 40)
    one, same, other = (mask_tokens(ids, BERT, seeded(s)) for s in (3, 3, 4))
    assert torch.equal(one.token_ids, same.token_ids)
    assert torch.equal(one.targets, same.targets)
    assert not torch.equal(one.targets, other.targets)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 1.1}, "rate must lie from 0 to 1"),
        ({"rate": -0.1}, "rate must lie from 0 to 1"),
        ({"as_mask": 0.8, "as_random": 0.3}, "as_mask \\+ as_random must be at most 1"),
        ({"mask_id": VOCAB}, "must be below vocab_size = 40, got 40"),
        ({"special_ids": (41,)}, "must be below vocab_size = 40, got 41"),
        ({"special_ids": (-1,)}, "special_ids\\[0\\] must be"),
        ({"vocab_size": 0}, "vocab_size must be"),
        ({"vocab_size": 4, "special_ids": (0, 1, 2)}, "all 4 ids are special"),
    ],
)
def test_bad_settings_are_named(wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Masking(**{"mask_id": MASK, "vocab_size": VOCAB, **wrong})


@pytest.mark.parametrize(
    ("ids", "message"),
    [(torch.tensor([[VOCAB]]), "from 0 to 39, got 40 to 40"), (torch.tensor([-100]), "got -100"),
     (torch.tensor([]).long(), "must not be empty")],
)  # fmt: skip
def test_bad_ids_are_named(ids, message):
    with pytest.raises(ValueError, match=message):
        mask_tokens(ids, BERT, seeded())


def sets(n_copies, epochs=6, seed=0):
    ids = ordinary(4, 30)
    drawn = (mask_tokens(ids, BERT, masks_of_epoch(e, n_copies, seed)) for e in range(epochs))
    return [tuple(masked.targets.flatten().tolist()) for masked in drawn]


def test_static_copies_and_dynamic():
    assert len(set(sets(1))) == 1
    three = sets(3)
    assert len(set(three)) == 3
    assert three[:3] == three[3:]
    assert len(set(sets(None))) == 6


def test_other_seeds_have_other_masks():
    assert not set(sets(None, seed=0)) & set(sets(None, seed=1))


@pytest.mark.parametrize(("n_copies", "n_sets"), [(1, 1), (10, 10), (None, 40)])
def test_the_share_ever_selected_is_what_forty_passes_give(n_copies, n_sets):
    ids, ever = ordinary(100, 100), torch.zeros(100, 100, dtype=torch.bool)
    for epoch in range(40):
        ever |= mask_tokens(ids, BERT, masks_of_epoch(epoch, n_copies)).targets != IGNORE
    assert near(ever.double().mean().item(), share_ever_selected(0.15, n_sets), ids.numel())


def test_the_share_at_its_ends():
    assert share_ever_selected(0.15, 0) == share_ever_selected(0.0, 5) == 0
    assert share_ever_selected(1.0, 1) == 1
    assert share_ever_selected(0.15, 2) == pytest.approx(1 - 0.85**2)


@pytest.mark.parametrize("rate", [-0.5, 1.5])
def test_the_share_ever_selected_needs_a_probability(rate):
    with pytest.raises(ValueError, match=f"rate must lie from 0 to 1, got {rate}"):
        share_ever_selected(rate, 2)
