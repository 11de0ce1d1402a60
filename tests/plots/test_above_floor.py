import pytest

from course_lib.plots import style
from course_lib.plots.above_floor import AboveFloor, draw, say

LONG, YOURS = ([100, 1000, 20_000], [5.0, 1.0, 0.55]), ([100, 900], [4.0, 0.75])
DATA = AboveFloor(0.5, {"long": LONG, "yours": YOURS})


def drawn(data):
    fig, _ = style.new_figure((8, 3), 100)
    draw(fig, data)
    return fig.axes[0]


def test_the_distance_is_in_per_cent_of_the_floor():
    assert DATA.per_cent("long") == pytest.approx([900, 100, 10])
    assert DATA.per_cent("yours") == pytest.approx([700, 50])


def test_a_line_for_each_run_with_its_end_named():
    axes = drawn(DATA)
    assert [list(line.get_xdata()) for line in axes.lines] == [[100, 1000, 20_000], [100, 900]]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([900, 100, 10])
    assert [text.get_text() for text in axes.texts] == ["long: 10%", "yours: 50%"]
    assert [text.get_ha() for text in axes.texts] == ["left", "right"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_ylabel() == "above the floor (%)" and axes.get_xlabel() == "tokens read"
    assert axes.get_xlim()[0] < 100 and axes.get_xlim()[1] > 40_000


def test_a_run_that_was_stopped_before_its_first_look():
    data = AboveFloor(0.5, {"long": LONG, "yours": ([], [])})
    assert [text.get_text() for text in drawn(data).texts] == ["long: 10%"]
    assert "yours" not in say(data)
    assert not drawn(AboveFloor(0.5, {"yours": ([], [])})).texts
    assert say(AboveFloor(0.5, {"yours": ([], [])})).endswith("no run has begun.")


def test_the_sentence():
    assert say(DATA) == (
        "The floor is 0.500 nats; long ended 10% above it after 20,000 tokens; "
        "yours ended 50% above it after 900 tokens."
    )
