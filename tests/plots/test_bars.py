from matplotlib.colors import to_hex

from course_lib.plots.bars import (
    BitsAboveFloor,
    draw_bits,
    draw_gaps,
    draw_possible,
    draw_shares,
    say_bits,
    say_gaps,
    say_possible,
    say_shares,
)
from course_lib.plots.show import show
from course_lib.plots.style import K, Q, new_figure

BITS = {"gzip": 2.345, "xz": 1.8, "your GPT": None}


def drawn(draw, values):
    figure, _ = new_figure((6, 2), 100)
    draw(figure, values)
    (axes,) = figure.axes
    return axes


def test_bars_are_as_long_as_their_values_and_the_unknown_has_none():
    axes = drawn(draw_bits, BITS)
    assert [bar.get_width() for bar in axes.patches] == [2.345, 1.8, 0]
    assert [text.get_text() for text in axes.texts] == ["2.35", "1.80", "?"]
    assert [label.get_text() for label in axes.get_yticklabels()] == list(BITS)
    assert "bits per byte" in axes.get_xlabel()


def test_the_scale_does_not_move_when_the_missing_value_comes():
    assert drawn(draw_bits, BITS).get_xlim() == drawn(draw_bits, {**BITS, "your GPT": 5}).get_xlim()


def test_a_run_that_went_astray_still_fits():
    assert drawn(draw_bits, {**BITS, "your GPT": 855.0}).get_xlim()[1] > 855


def test_sentences():
    assert say_bits(BITS) == "Bits per byte: gzip 2.35, xz 1.80, your GPT ?."
    assert say_shares({"a": 0.25, "b": 0.0}) == "Share that are programs: a 25.0%, b 0.0%."
    assert "Share" in repr(show(draw_shares, {"a": 0.25}, say_shares))


def test_the_floor_is_a_line_through_all_bars_and_in_the_sentence():
    values = {"gzip": 1.3, "your GPT": None}
    fig, _ = new_figure((8, 2.2), 100)
    BitsAboveFloor(0.22).draw(fig, values)
    (axes,) = fig.axes
    assert axes.lines[0].get_xdata() == [0.22, 0.22]
    assert axes.get_title() == "black line: the floor, 0.22"
    assert BitsAboveFloor(0.22).say(values) == (
        "Bits per byte: gzip 1.30, your GPT ?. The floor is 0.22."
    )


def test_without_a_floor_there_is_no_line():
    fig, _ = new_figure((8, 2.2), 100)
    BitsAboveFloor(None).draw(fig, {"gzip": 1.3})
    assert not fig.axes[0].lines and not fig.axes[0].get_title()
    assert BitsAboveFloor(None).say({"gzip": 1.3}) == "Bits per byte: gzip 1.30."


def test_a_family_has_its_colour_and_no_bar_else_has_one():
    values = {"GPT, from the left": 0.8, "perfect reader, both sides": 0.2, "BERT": 0.3}
    axes = drawn(draw_gaps, values)
    colours = [to_hex(bar.get_facecolor()).upper() for bar in axes.patches]
    assert colours[0] == K and colours[2] == Q and colours[1] not in (K, Q)
    assert say_gaps(values).startswith("Mean surprise at the hidden word in nats: GPT, from")


def test_shares_of_stories():
    fig, _ = new_figure((8, 2.2), 100)
    draw_possible(fig, {"the grammar": 1.0, "your GPT": 0.125})
    assert fig.axes[0].get_xlim() == (0, 1.15)
    assert say_possible({"a": 1.0, "b": 0.125}) == (
        "Share of stories that are possible: a 100%, b 12%."
    )
