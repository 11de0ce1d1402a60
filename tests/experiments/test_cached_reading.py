from dataclasses import replace

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.experiments.cached_reading import (
    SMALL,
    fresh_gpt,
    one_place_late,
    power,
    random_ids,
    read_in_pieces,
    step_times,
    tokens_read,
    whole_text,
    without_oldest,
)

TINY = GPTConfig(9, 8, d_model=8, n_layers=2, n_heads=2)


@pytest.mark.parametrize("piece", [1, 3, 20])
def test_pieces_give_what_the_whole_gives(piece):
    model, ids = fresh_gpt(), random_ids(SMALL, 2, 20)
    assert (read_in_pieces(model, ids, piece) - model(ids)).abs().max() < 1e-12


def test_a_prompt_is_read_at_once():
    model, ids = fresh_gpt(), random_ids(SMALL, 2, 20)
    lengths = []
    model.register_forward_pre_hook(lambda _, args: lengths.append(args[0].shape[1]))
    assert (read_in_pieces(model, ids, 4, prompt=9) - model(ids)).abs().max() < 1e-12
    assert lengths == [9, 4, 4, 3, 20]


def test_padding_on_the_left_as_well():
    model, ids = fresh_gpt(), random_ids(SMALL, 2, 12)
    real = torch.ones(2, 12, dtype=torch.bool)
    real[1, :5] = False
    gap = (read_in_pieces(model, ids, prompt=6, real=real) - model(ids, real)).abs().amax(-1)
    assert gap[real].max() < 1e-12


def test_the_fault_moves_every_place_by_one():
    model, late = fresh_gpt(), one_place_late(fresh_gpt())
    assert torch.equal(late.positions.weight[1:], model.positions.weight[:-1])
    assert torch.equal(late.tokens.weight, model.tokens.weight)


def test_each_token_is_read_once_until_the_window_slides():
    assert tokens_read(fresh_gpt(TINY), 3, 8) == [3, 1, 1, 1, 1, 1, 8, 8]
    assert tokens_read(fresh_gpt(TINY), 3, 8, use_cache=False) == [3, 4, 5, 6, 7, 8, 8, 8]


def test_a_cache_that_forgets_is_right_in_one_block_without_positions_alone():
    shallow = GPTConfig(9, 8, d_model=8, n_layers=1, n_heads=2, init_std=0.2, positions="none")
    assert without_oldest(fresh_gpt(shallow)) < 1e-12
    for change in ({"n_layers": 3}, {"positions": "learned"}):
        assert without_oldest(fresh_gpt(replace(shallow, **change))) > 1e-3


def test_a_power_is_found():
    lengths = (2, 4, 8)
    assert power(lengths, 3 * torch.tensor(lengths) ** 1.5) == pytest.approx(1.5)
    assert power(lengths, torch.full((3,), 0.1)) == pytest.approx(0, abs=1e-6)


def test_times_are_there_for_every_length():
    times = step_times((2, 4), rounds=1, config=TINY)
    assert times.lengths == (2, 4)
    for seconds in (times.anew, times.kept):
        assert seconds.shape == (2,) and (seconds > 0).all() and seconds.isfinite().all()
    whole = whole_text(6, TINY)
    assert min(whole.at_once, whole.with_cache, whole.without, whole.eight_texts) > 0


def test_random_state_is_left_alone():
    before = torch.get_rng_state()
    fresh_gpt()
    assert torch.equal(torch.get_rng_state(), before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="piece must be a whole number >= 1, got 0"):
        read_in_pieces(fresh_gpt(), random_ids(SMALL, 1, 3), 0)
    with pytest.raises(ValueError, match="rounds must be a whole number >= 1, got 0"):
        step_times(rounds=0)
