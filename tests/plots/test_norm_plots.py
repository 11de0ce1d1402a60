from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import final_norm, normalising
from course_lib.plots.style import new_figure


def position(shift=0.0, outlier=0.0):
    before = np.append(np.linspace(-1, 1, 9), outlier) + shift
    layer = (before - before.mean()) / before.std()
    rms = before / (before**2).mean() ** 0.5
    return SimpleNamespace(before=before, layer=layer, rms=rms, eps=1e-4)


def test_histograms_and_marks_follow_and_limits_stand_still():
    figure, _ = new_figure((9, 3), 100)
    update = normalising.draw(figure, position())
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    moved = position(shift=2.0, outlier=40.0)
    artists = update(moved)
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes] == limits
    assert [mark.get_xdata()[0] for mark in artists[1::3]] == [
        moved.before[-1], moved.layer[-1], moved.rms[-1]
    ]  # fmt: skip
    assert [steps.get_data().values.sum() for steps in artists[::3]] == pytest.approx([1, 1, 1])
    assert "mean 0\nst. dev. 1\nmarked 3" in artists[5].get_text()


def test_features_past_the_edge_are_counted_in_the_last_bar():
    figure, _ = new_figure((9, 3), 100)
    update = normalising.draw(figure, position())
    steps, mark, words, *_ = update(position(outlier=1e6))
    assert steps.get_data().values[-1] == pytest.approx(0.1)
    assert mark.get_marker() == ">" and "marked 1e+06" in words.get_text()
    assert update(position(outlier=-1e6))[1].get_marker() == "<"
    assert update(position())[1].get_marker() == "v"


def test_beside_eps_the_sizes_and_the_line_move():
    figure, _ = new_figure((9, 3), 100)
    update = normalising.draw_beside_eps(figure, position())
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    small = position()
    small.before, small.eps = small.before / 1000, 1e-2
    sizes, line, label, _, words = update(small)
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes] == limits
    assert list(line.get_xdata()) == pytest.approx([0.1, 0.1])
    bars = sizes.get_data()
    assert bars.values[bars.edges[1:] > 2e-3].sum() == 0 and bars.values.sum() == pytest.approx(1)
    assert "marked" not in words.get_text()
    assert "the root of eps is 0.1" in normalising.say_beside_eps(small)


def test_the_sentence_has_both_norms():
    said = normalising.say(position(shift=3.0))
    assert "After layer norm: mean 0, standard deviation 1" in said
    assert "Before: mean 3" in said and "After RMS norm: mean 0.9" in said


def test_the_final_norm_s_figure_has_one_scale_and_both_curves():
    equal = SimpleNamespace(depths=(3, 48), with_norm=[0.5, 0.5], without=[0.4, 1.6])
    scaled = SimpleNamespace(depths=(3, 48), with_norm=[0.5, 0.5], without=[0.2, 0.2])
    figure, _ = new_figure((9, 3), 100)
    final_norm.draw(figure, (equal, scaled))
    left, right = figure.axes
    assert left.get_ylim() == right.get_ylim() and left.get_ylim()[1] > 1.8
    assert list(left.lines[1].get_ydata()) == [0.4, 1.6]
    assert [text.get_text() for text in left.texts][:2] == ["with norm", "without"]
    assert list(left.lines[2].get_ydata()) == pytest.approx([0.4, 1.6]) and len(right.lines) == 2
    assert "goes from 0.4 to 1.6 when" in final_norm.say((equal, scaled))
