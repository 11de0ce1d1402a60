import pytest
import torch

from course_lib.experiments.paging import (
    LONGEST,
    MEAN,
    N_PLACES,
    fill_memory,
    read_times,
    share_over_life,
    share_used,
    text_lengths,
)


def test_shares_of_a_few_lengths_by_hand():
    lengths = torch.tensor([1, 4, 5])
    assert share_used(lengths, 1) == 1
    assert share_used(lengths, 4) == pytest.approx(10 / 16)
    assert share_used(lengths, LONGEST) == pytest.approx(10 / (3 * LONGEST))


@pytest.mark.parametrize("seed", range(3))
def test_the_known_shares(seed):
    lengths = text_lengths(seed=seed)
    wanted = {8: 0.990, 16: 0.980, 32: 0.960, 128: 0.853, 256: 0.738, LONGEST: 0.177}
    for block_size, share in wanted.items():
        assert share_used(lengths, block_size) == pytest.approx(share, abs=0.012)


@pytest.mark.parametrize("spread", [0.2, 0.6, 0.9])
def test_half_a_block_a_text_is_lost_whatever_the_spread(spread):
    lengths = text_lengths(spread=spread)
    mean = lengths.double().mean().item()
    for block_size in (8, 32):
        assert share_used(lengths, block_size) == pytest.approx(
            mean / (mean + (block_size - 1) / 2), rel=0.003
        )


@pytest.mark.parametrize("block_size", [1, 2, 3, 16, LONGEST, None])
def test_shares_over_a_life_are_those_of_every_step(block_size):
    lengths = torch.tensor([5, 3, 1, 32])
    used = held = 0
    for length in lengths.tolist():
        for now in range(1, length + 1):
            used += now
            held += length if block_size is None else -(-now // block_size) * block_size
    assert share_over_life(lengths, block_size) == pytest.approx(used / held)


def test_reading_is_timed_for_every_block_size():
    assert (read_times((1, LONGEST), width=2, rounds=2) > 0).all()


def test_lengths_stay_within_what_a_text_may_have():
    lengths = text_lengths(5000, spread=1.5)
    assert lengths.min() >= 1 and lengths.max() == LONGEST
    assert text_lengths(5000, spread=0.0).unique().tolist() == [MEAN]
    assert text_lengths(4000).double().mean().item() == pytest.approx(MEAN, rel=0.03)


@pytest.mark.parametrize("block_size", [1, 16, 256, LONGEST])
def test_every_text_in_memory_has_its_tokens_and_nobody_else_s(block_size):
    memory = fill_memory(block_size)
    lengths = text_lengths(N_PLACES)[: memory.n_texts]
    filled = torch.bincount(memory.owners[memory.filled], minlength=memory.n_texts)
    assert filled.tolist() == lengths.tolist()
    assert not memory.filled[memory.owners < 0].any()
    blocks = memory.owners.view(-1, block_size)
    assert (blocks == blocks[:, :1]).all()  # a block belongs to one text as a whole
    assert memory.entries == (blocks[:, 0] >= 0).sum()
    assert memory.share == pytest.approx(share_used(text_lengths(), block_size))


def test_the_next_text_would_find_no_room():
    memory = fill_memory(64)
    following = text_lengths(N_PLACES)[memory.n_texts].item()
    free = (memory.owners < 0).sum().item() // 64
    assert -(-following // 64) > free


def test_blocks_hold_several_times_the_texts():
    assert fill_memory(LONGEST).n_texts == N_PLACES // LONGEST
    assert fill_memory(16).n_texts > 4 * fill_memory(LONGEST).n_texts


def test_a_growing_text_is_scattered():
    memory = fill_memory(16)
    longest = text_lengths(N_PLACES)[: memory.n_texts].argmax()
    places = (memory.owners == longest).nonzero().flatten()
    assert (places.diff() > 1).sum() > 20


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="block_size must be a whole number >= 1, got 0"):
        share_used(torch.tensor([3]), 0)
    with pytest.raises(ValueError, match="mean must be > 0 and spread >= 0, got 0"):
        text_lengths(mean=0)
    with pytest.raises(ValueError, match="block_size must be one of .*, got 3"):
        fill_memory(3)
