import pytest

from course_lib.plots import style
from course_lib.plots.ablation import Ablation, draw, say

DATA = Ablation(
    reference=[2.0, 2.1, 2.4], recipe=[1.5, 1.6, 1.7],
    alone={"Muon": [1.8, 1.9, 1.7], "rotary": [2.05, 2.0, 2.2]},
    without={"Muon": [1.9, 1.8, 2.0], "rotary": [1.6, 1.61, 1.7]},
)  # fmt: skip


def drawn(data):
    fig, _ = style.new_figure((9, 3.5), 100)
    draw(fig, data)
    return fig.axes


def test_medians_are_compared():
    assert DATA.gain("Muon") == pytest.approx(0.3) and DATA.gain("rotary") == pytest.approx(0.05)
    assert DATA.loss("Muon") == pytest.approx(0.3) and DATA.loss("rotary") == pytest.approx(0.01)


def test_a_row_for_each_variant_and_a_dot_for_each_seed():
    left, right = drawn(DATA)
    assert [t.get_text() for t in left.get_yticklabels()] == ["reference", "+ Muon", "+ rotary"]
    assert [t.get_text() for t in right.get_yticklabels()] == [
        "all of them", "without Muon", "without rotary",
    ]  # fmt: skip
    dots = [list(line.get_xdata()) for line in left.lines if line.get_marker() == "o"]
    assert dots == [list(DATA.reference), *map(list, DATA.alone.values())]
    assert [text.get_text() for text in left.texts] == ["2.100", "1.800", "2.050"]
    assert left.get_xlabel() == "held-out loss (nats per byte)"
    assert left.get_xlim() == right.get_xlim()
    low, high = left.get_xlim()
    assert low < 1.5 and high > 2.4
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first row stands on top


def test_the_sentence():
    assert say(DATA) == (
        "Held-out loss in nats per byte, medians: reference 2.100, all changes 1.600. "
        "Alone, Muon brings most: 0.300. Left out, Muon costs most: 0.300."
    )
    assert say(Ablation([2.0], [1.0], {}, {})) == (
        "Held-out loss in nats per byte, medians: reference 2.000, all changes 1.000."
    )
