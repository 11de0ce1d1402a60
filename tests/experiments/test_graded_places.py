import pytest
import torch

from course_lib.experiments.graded_places import (
    ALL,
    ENTRANTS,
    FEW,
    GUESSING,
    HIDDEN,
    LENGTH,
    Reader,
    fresh_reader,
    known_loss,
    next_letters,
    pose,
    race,
    steps_until,
    unasked_reached,
)
from course_lib.experiments.mismatch import HALF, MASK_ID, said_twice
from course_lib.experiments.race_step import RaceStep
from course_lib.mechanisms.losses import IGNORE


@pytest.fixture
def texts():
    return said_twice(3000, torch.Generator().manual_seed(1))


def test_who_asks_for_the_next_letter_reads_the_text_as_it_is(texts):
    inputs, targets = pose(ENTRANTS[ALL], texts, torch.Generator().manual_seed(2))
    assert torch.equal(inputs, texts)
    assert torch.equal(targets[:, :-1], texts[:, 1:]) and (targets[:, -1] == IGNORE).all()


def test_few_are_graded_on_the_same_questions(texts):
    _, targets = pose(ENTRANTS[FEW], texts, torch.Generator().manual_seed(2))
    asked = targets != IGNORE
    assert asked[:, :-1].double().mean().item() == pytest.approx(0.15, abs=0.01)
    assert torch.equal(targets[asked], next_letters(texts)[asked])


def test_hidden_letters_are_out_of_sight(texts):
    inputs, targets = pose(ENTRANTS[HIDDEN], texts, torch.Generator().manual_seed(2))
    asked = targets != IGNORE
    assert asked.double().mean().item() == pytest.approx(0.15, abs=0.01)
    assert torch.equal(inputs == MASK_ID, asked) and torch.equal(targets[asked], texts[asked])


def test_the_mask_is_the_only_difference(texts):
    one, other = fresh_reader(True, 0), fresh_reader(False, 0)
    assert all(map(torch.equal, one.parameters(), other.parameters()))
    changed = texts[:1].clone()
    changed[0, -1] = (changed[0, -1] + 1) % 16
    same = one(texts[:1])[:, :-1] - one(changed)[:, :-1]
    assert same.abs().max() == 0
    assert (other(texts[:1])[:, :-1] - other(changed)[:, :-1]).abs().max() > 1e-4


def test_only_letters_that_can_be_known_are_looked_at(texts):
    """A reader that repeats what stood six places before knows them all."""

    class Oracle(Reader):
        def forward(self, ids):
            back = HALF - 1 if self.visible is not None else HALF
            return 50.0 * torch.nn.functional.one_hot(ids.roll(back, 1), MASK_ID + 1).float()

    places = torch.randint(LENGTH, (200,))
    for causal in (True, False):
        assert known_loss(Oracle(causal), texts[:200], places) < 1e-3
        fresh = known_loss(fresh_reader(causal, 0), texts[:200], places)
        assert fresh == pytest.approx(GUESSING, abs=0.6)


def test_a_race_is_looked_at_now_and_then_and_leaves_the_random_state_alone():
    before = torch.get_rng_state()
    records = list(race(7, batch=4))
    assert [record.step for record in records] == [5, 7]
    assert list(records[0].losses) == list(ENTRANTS)
    assert torch.equal(torch.get_rng_state(), before)
    (two,) = race(1, (ALL, FEW), batch=4)
    assert list(two.losses) == [ALL, FEW]


def test_steps_until():
    history = [RaceStep(5, {"a": 3.0}), RaceStep(10, {"a": 1.0}), RaceStep(15, {"a": 0.5})]
    assert steps_until(history, "a", 1.5) == 10
    with pytest.raises(ValueError, match="'a' did not get below 0.1 within 15 steps"):
        steps_until(history, "a", 0.1)


def test_gradients_reach_the_words_that_nobody_asks_for():
    assert unasked_reached() == 1.0
    assert unasked_reached(alone=True) == 0.0


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        race(0)
    with pytest.raises(ValueError, match=r"names must be of .*, got \['all'\]"):
        race(1, ["all"])
