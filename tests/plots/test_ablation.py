from types import SimpleNamespace as Namespace

import pytest

from course_lib.plots import style
from course_lib.plots.ablation import draw, say

DATA = Namespace(
    reference=(2.0, 2.1, 2.4), recipe=(1.5, 1.6, 1.7),
    added=(Namespace(name="Muon", losses=(1.8, 1.9, 1.7)),
           Namespace(name="rotary", losses=(2.05, 2.0, 2.2))),
    removed=(Namespace(name="AdamW", losses=(1.9, 1.8, 2.0)),
             Namespace(name="learned", losses=(1.6, 1.61, 1.7))),
)  # fmt: skip


def drawn(data):
    fig, _ = style.new_figure((9, 3.5), 100)
    draw(fig, data)
    return fig.axes


def test_a_row_for_each_variant_and_a_dot_for_each_seed():
    left, right = drawn(DATA)
    assert [t.get_text() for t in left.get_yticklabels()] == ["reference", "+ Muon", "+ rotary"]
    assert [t.get_text() for t in right.get_yticklabels()] == [
        "the whole recipe", "AdamW", "learned",
    ]  # fmt: skip
    dots = [tuple(line.get_xdata()) for line in left.lines if line.get_marker() == "o"]
    assert dots == [DATA.reference, *(variant.losses for variant in DATA.added)]
    assert [text.get_text() for text in left.texts] == ["2.100", "1.800", "2.050"]
    assert left.figure.get_supxlabel() == "held-out loss (nats per byte)"
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first row stands on top


def test_both_panels_have_one_scale_and_hold_every_dot():
    widths = []
    for axes, least, most in zip(drawn(DATA), (1.7, 1.5), (2.4, 2.0), strict=True):
        low, high = axes.get_xlim()
        assert low < least and most < high
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1])


def test_the_sentence():
    assert say(DATA) == (
        "Held-out loss in nats per byte, medians: reference 2.100, the whole recipe 1.600. "
        "Alone, Muon brings most: 1.800. Undone, it is worst with AdamW: 1.900."
    )
    assert say(Namespace(reference=(2.0,), recipe=(1.0,), added=(), removed=())) == (
        "Held-out loss in nats per byte, medians: reference 2.000, the whole recipe 1.000."
    )
