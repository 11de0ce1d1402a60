"""The figures of lesson 44 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import formats, spike_toy, spiked_gpt
from course_lib.plots.style import new_figure

RANGES = {
    "fp16": SimpleNamespace(smallest=6e-8, full=6e-5, largest=65504.0),
    "fp32": SimpleNamespace(smallest=1e-45, full=1e-38, largest=3e38),
}


def kept(value, fp16, near):
    return SimpleNamespace(
        value=value,
        stored={"fp16": fp16, "fp32": value},
        neighbours={"fp16": np.array(near), "fp32": None},
    )


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_formats_follow_the_number():
    figure, _ = new_figure((9, 3.2), 100)
    update = formats.draw_for(RANGES)(figure, kept(100.0, 100.0, [-0.01, 0.0, 0.01]))
    before = limits(figure)
    changed = update(kept(1e5, np.inf, [0.5]))
    assert limits(figure) == before
    assert list(changed[0].get_xdata()) == [5, 5]
    texts = [a.get_text() for a in changed if hasattr(a, "get_text")]
    assert "kept as infinity" in texts and "does not fit" in texts and "too close to draw" in texts
    comb = [a for a in changed[1:] if hasattr(a, "get_xdata")][0]
    assert list(comb.get_xdata()) == []
    update(kept(100.0, 100.0, [-0.01, 0.0, 0.01]))
    assert list(comb.get_xdata()) == pytest.approx([-1, 0, 1])
    said = formats.say(kept(1e5, np.inf, []))
    assert said == "Of 100000: fp16 keeps infinity, fp32 keeps 100000."


def toy(factor, end):
    distances = {name: [1.0, 2.0, end] for name in ("nothing", "clip", "skip")}
    return SimpleNamespace(size=10.0, factor=factor, distances=distances, norms=[3.0, 5.0],
                           n_skipped=1)  # fmt: skip


def test_toy_follows_the_factor_and_keeps_its_limits():
    figure, _ = new_figure((9, 3.2), 100)
    update = spike_toy.draw_for((2,))(figure, toy(4.0, 1.0))
    before = limits(figure)
    changed = update(toy(100.0, 1e9))
    assert limits(figure) == before
    assert changed[0].get_ydata()[-1] == before[0][1][1]  # beyond the edge is on the edge
    bar, text = changed[-2:]
    assert bar.get_ydata()[0] == pytest.approx(300) and text.get_text() == "100 × usual"
    assert "the guard skipped 1 batches" in spike_toy.say(toy(4.0, 1.0))


def record(step, loss):
    values = {"nothing": loss, "skip": 1.0}
    return SimpleNamespace(step=step, losses=values, norms=values, scores=values)


def test_runs_grow_and_the_end_of_one_is_said():
    figure, _ = new_figure((9, 3.4), 100)
    draw = spiked_gpt.draw_for(("nothing", "skip"), 20, 5, 8, 3.2)
    update = draw(figure, [])
    before = limits(figure)
    lines = update([record(1, 2.0), record(2, 1e6)])
    assert limits(figure) == before
    assert list(lines[0].get_ydata()) == [2.0, spiked_gpt.LOSSES[1]]
    assert spiked_gpt.say([]) == "The runs have not begun."
    said = spiked_gpt.say([record(1, 2.0), record(2, np.nan)])
    assert "nothing not a number, the run is over; skip 1.00" in said
