import pytest

from course_lib.plots import style
from course_lib.plots.ablation import Ablation, draw, say

DATA = Ablation(
    reference=[2.0, 2.1, 2.4], recipe=[1.5, 1.6, 1.7],
    alone={"Muon": [1.8, 1.9, 1.7], "rotary": [2.05, 2.0, 2.2]},
    without={"adamw for Muon": [1.9, 1.8, 2.0], "learned": [1.6, 1.61, 1.7]},
)  # fmt: skip


def drawn(data):
    fig, _ = style.new_figure((9, 3.5), 100)
    draw(fig, data)
    return fig.axes


def test_medians_are_compared():
    assert DATA.gain("Muon") == pytest.approx(0.3)
    assert DATA.gain("rotary") == pytest.approx(0.05)
    assert DATA.loss("adamw for Muon") == pytest.approx(0.3)
    assert DATA.loss("learned") == pytest.approx(0.01)


def test_a_row_for_each_variant_and_a_dot_for_each_seed():
    left, right = drawn(DATA)
    assert [t.get_text() for t in left.get_yticklabels()] == ["reference", "+ Muon", "+ rotary"]
    assert [t.get_text() for t in right.get_yticklabels()] == [
        "the whole recipe", "adamw for Muon", "learned",
    ]  # fmt: skip
    dots = [list(line.get_xdata()) for line in left.lines if line.get_marker() == "o"]
    assert dots == [list(DATA.reference), *map(list, DATA.alone.values())]
    assert [text.get_text() for text in left.texts] == ["2.100", "1.800", "2.050"]
    assert left.get_xlabel() == "held-out loss (nats per byte)"
    widths = []
    for axes, least, most in ((left, 1.7, 2.4), (right, 1.5, 2.0)):
        low, high = axes.get_xlim()
        assert low < least and most < high
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1])  # one scale
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first row stands on top


def test_the_sentence():
    assert say(DATA) == (
        "Held-out loss in nats per byte, medians: reference 2.100, the whole recipe 1.600. "
        "Alone, Muon brings most: 0.300. Adamw for Muon costs most: 0.300."
    )
    assert say(Ablation([2.0], [1.0], {}, {})) == (
        "Held-out loss in nats per byte, medians: reference 2.000, the whole recipe 1.000."
    )
