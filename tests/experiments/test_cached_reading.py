from dataclasses import replace

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.experiments.cached_reading import (
    SMALL,
    edge_at_first_key,
    fresh_gpt,
    power,
    random_ids,
    read_in_pieces,
    shifted_places,
    step_times,
    tokens_read,
    whole_text,
    width_ratio,
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


@pytest.mark.parametrize("kind", ["learned", "rotary"])
@pytest.mark.parametrize("by", [0, -1])
def test_shifted_places_are_those_of_what_is_read_from_a_cache(kind, by):
    model, ids = fresh_gpt(replace(SMALL, positions=kind)), random_ids(SMALL, 1, 12)
    shifted = shifted_places(model, by)
    assert torch.equal(shifted(ids), model(ids))
    gap = (read_in_pieces(shifted, ids, 3, prompt=6) - model(ids)).abs().amax((0, 2))
    assert gap[:6].max() < 1e-12
    assert (gap[6:].min() > 1e-3) if by else (gap.max() < 1e-12)


def test_a_mask_from_the_first_key_is_right_until_something_is_in_the_cache():
    model, ids = fresh_gpt(), random_ids(SMALL, 1, 12)
    blind = edge_at_first_key(model)
    assert torch.equal(blind(ids), model(ids))
    gap = (read_in_pieces(blind, ids, 3, prompt=6) - model(ids)).abs().amax((0, 2))
    assert gap[:6].max() < 1e-12 and gap[6:].min() > 1e-3


def test_each_token_is_read_once_until_the_window_slides():
    assert tokens_read(fresh_gpt(TINY), 3, 8) == [3, 1, 1, 1, 1, 1, 8, 8]
    assert tokens_read(fresh_gpt(TINY), 3, 8, use_cache=False) == [3, 4, 5, 6, 7, 8, 8, 8]


def test_a_cache_that_forgets_is_right_in_one_block_without_positions_alone():
    shallow = GPTConfig(9, 8, d_model=8, n_layers=1, n_heads=2, init_std=0.2, positions="none")
    assert without_oldest(fresh_gpt(shallow)) < 1e-12
    for change in ({"n_layers": 3}, {"positions": "learned"}):
        assert without_oldest(fresh_gpt(replace(shallow, **change))) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_rotary_places_that_go_on_are_no_obstacle_in_one_block(seed):
    one, four = (fresh_gpt(replace(SMALL, positions="rotary", n_layers=n), seed) for n in (1, 4))
    assert without_oldest(one, places_go_on=True) < 1e-12
    assert without_oldest(one) > 1e-2  # two tokens at one place
    assert without_oldest(four, places_go_on=True) > 1e-2


def test_a_power_is_found():
    lengths = (2, 4, 8)
    assert power(lengths, 3 * torch.tensor(lengths) ** 1.5) == pytest.approx(1.5)
    assert power(lengths, torch.full((3,), 0.1)) == pytest.approx(0, abs=1e-6)


def test_times_are_there_for_every_length():
    times = step_times((2, 4), rounds=1, config=TINY)
    assert times.lengths == (2, 4)
    for seconds in (times.anew, times.kept):
        assert seconds.shape == (2,) and (seconds > 0).all() and seconds.isfinite().all()
    assert times.slower > 0 and width_ratio(4, TINY, 4) > 0
    assert min(vars(whole_text(6, TINY)).values()) > 0


def test_random_state_is_left_alone():
    before = torch.get_rng_state()
    fresh_gpt()
    assert torch.equal(torch.get_rng_state(), before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="piece must be a whole number >= 1, got 0"):
        read_in_pieces(fresh_gpt(), random_ids(SMALL, 1, 3), 0)
    with pytest.raises(ValueError, match="rounds must be a whole number >= 1, got 0"):
        step_times(rounds=0)
