import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.experiments import cycles
from course_lib.experiments.cycles import Cycle
from course_lib.experiments.next_word import stories_gpt


@given(st.integers(2, 12), st.integers(0, 1000), st.integers(0, 11))
def test_a_greedy_walk_comes_back_within_as_many_steps_as_there_are_words(n, seed, start):
    chain = cycles.random_chain(n, seed)
    words = cycles.walk(chain, 4 * n, 0, start=start % n)
    found = cycles.first_cycle(words.tolist())
    assert found is not None and found.before + found.length <= n
    assert torch.equal(words[found.before + found.length :], words[found.before : -found.length])


def test_the_first_repeated_state_is_found():
    assert cycles.first_cycle("abcdbx") == Cycle(1, 3)
    assert cycles.first_cycle("aab") == Cycle(0, 1)
    assert cycles.first_cycle("abc") is None


def test_a_window_is_what_the_model_reads():
    ids = torch.tensor([5, 6, 7, 8])
    assert cycles.windows(ids, 2) == [(5,), (5, 6), (6, 7), (7, 8)]
    # The same last word is not the same state for one who remembers two.
    assert cycles.first_cycle(cycles.windows(torch.tensor([1, 2, 1, 3, 1, 2]), 2)) == Cycle(1, 4)


@pytest.mark.parametrize(("ids", "period"), [
    ([1, 2, 1, 2, 1], 2), ([3, 3, 3], 1), ([1, 2, 3, 4], None), ([1, 2, 2, 1, 2, 2, 1], 3),
])  # fmt: skip
def test_periods(ids, period):
    assert cycles.has_period(torch.tensor(ids), 9) == period


def test_the_mean_until_a_repeat_is_that_of_the_birthday_problem():
    measured = cycles.steps_to_repeat(50, range(1500))
    error = measured.std().item() / 1500**0.5
    assert measured.mean().item() == pytest.approx(
        cycles.expected_steps_to_repeat(50), abs=4 * error
    )
    assert cycles.expected_steps_to_repeat(1) == 1
    assert cycles.expected_steps_to_repeat(2) == 1.5  # the second word is the first, or new
    assert cycles.expected_steps_to_repeat(200) == pytest.approx(17.398, abs=1e-3)


def test_steps_to_repeat_is_what_a_walk_shows():
    for seed in range(5):
        found = cycles.first_cycle(cycles.walk(cycles.random_chain(30, seed), 30, 0).tolist())
        assert cycles.steps_to_repeat(30, [seed]).item() == found.before + found.length


def test_chance_leads_out_of_every_cycle():
    for seed in range(3):
        draws = torch.Generator().manual_seed(seed)
        words = cycles.walk(cycles.random_chain(50, seed), 400, 1.0, draws)
        assert cycles.has_period(words[-200:], 100) is None


def test_a_short_memory_writes_what_the_model_writes_on_as_much():
    shipped = stories_gpt()
    starts = torch.tensor([[3, 5], [168, 7]])
    ids = cycles.short_memory(shipped, starts, 4, 9)
    assert ids.shape == (2, 11) and torch.equal(ids[:, :2], starts)
    for row in ids:
        for end in range(2, 11):
            read = torch.cat([torch.tensor([shipped.boundary_id]), row[max(0, end - 4) : end]])
            assert row[end] == shipped.model(read[None])[0, -1].argmax()
    drawn = cycles.short_memory(shipped, starts, 4, 9, 1.0, torch.Generator().manual_seed(0))
    assert not torch.equal(drawn, ids)


def test_steps_to_cycle():
    ids = torch.tensor([[1, 2, 1, 2, 1, 2], [1, 2, 3, 4, 5, 6]])
    assert cycles.steps_to_cycle(ids, 1) == [2, None]
    assert cycles.steps_to_cycle(ids, 2) == [3, None]  # one word alone is a state of its own
