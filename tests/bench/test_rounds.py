import pytest

from course_lib.bench.rounds import Comparison, compare
from course_lib.bench.training import report


class Machine:
    """A clock that moves only while a side works."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def side(self, name, seconds):
        def step():
            self.log.append(name)
            self.now += seconds

        return step


def run(machine, **changes):
    settings = {"tokens": 60, "n_rounds": 4, "n_steps": 2, "n_warm_up": 3, **changes}
    sides = machine.side("a", 0.5), machine.side("b", 2.0)
    return compare(*sides, clock=lambda: machine.now, **settings)


def test_speed_and_ratio():
    result = run(Machine())
    assert result.ours == [120.0] * 4
    assert result.theirs == [30.0] * 4
    assert result.ratios == [4.0] * 4


def test_warm_up_first_then_the_order_alternates():
    machine = Machine()
    run(machine)
    assert "".join(machine.log) == "aaabbb" + "aabb" + "bbaa" + "aabb" + "bbaa"


def test_the_median_is_that_of_the_rounds_own_ratios():
    result = Comparison(ours=[10.0, 100.0, 30.0], theirs=[10.0, 50.0, 10.0])
    assert result.median_ratio == 2.0  # the ratio of the medians would be 3
    assert "median 2.00 of 3 rounds, range 1.00 to 3.00" in report(result)


def test_rounds_are_timed_apart():
    machine = Machine()
    durations = iter([1.0] * 2 + [1.0, 2.0, 3.0, 4.0])  # warm-up, then a b, b a

    def step():
        machine.now += next(durations)

    result = compare(
        step, step, tokens=12, n_rounds=2, n_steps=1, n_warm_up=1, clock=lambda: machine.now
    )
    assert result.ours == [12.0, 3.0]
    assert result.theirs == [6.0, 4.0]
    assert result.ratios == pytest.approx([2.0, 0.75])
