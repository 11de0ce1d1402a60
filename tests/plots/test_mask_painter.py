import math

from course_lib.plots import mask_painter
from course_lib.plots.style import new_figure


def painted(**changes):
    data = mask_painter.Painted(
        words=["a", "b", "c"], scores=[[1.0, -2.0, 0.0]] * 3,
        visible=[[True, False, False], [True, True, False], [False, True, True]],
        shares=[[1, 0, 0], [0.955, 0.045, 0], [0, 0.1, 0.9]],
        levels=[[True, True, False], [False, True, False]], nan=[[False] * 3] * 2, chosen=1,
    )  # fmt: skip
    return data._replace(**changes)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_cells_hold_scores_minus_infinity_and_shares():
    figure, _ = new_figure((11, 3), 100)
    mask_painter.draw(figure, painted())
    scores, shares, _ = figure.axes
    assert texts(scores) == ["1.0", "−∞", "−∞", "1.0", "−2.0", "−∞", "−∞", "−2.0", "0.0"]
    assert texts(shares) == ["100%", "0", "0", "96%", "5%", "0", "0", "10%", "90%"]


def test_ways_go_where_the_mask_lets_them_and_down_the_residual_stream():
    figure, _ = new_figure((11, 3), 100)
    own = [[True, False, False], [True, False, False], [False, True, True]]
    update = mask_painter.draw(figure, painted())

    def ways():
        lines = [line for line in figure.axes[2].get_lines() if len(line.get_xdata()) == 2]
        return [(list(line.get_xdata()), line.get_linestyle()) for line in lines]

    assert ways() == [([1, 0], "-"), ([1, 1], "-")]
    update(painted(visible=own))
    assert ways() == [([1, 0], "-"), ([1, 1], ":")]


def test_nan_is_written_where_it_is():
    figure, _ = new_figure((11, 3), 100)
    empty = painted(shares=[[1, 0, 0], [math.nan] * 3, [0, 1, 0]],
                    nan=[[False] * 3, [False, True, False]])  # fmt: skip
    mask_painter.draw(figure, empty)
    assert texts(figure.axes[1])[3:6] == ["NaN"] * 3
    assert texts(figure.axes[2]) == ["NaN"]
    assert (
        mask_painter.say(empty)
        == "“b” may read nothing: its shares are NaN, for −∞ − (−∞) has no answer."
    )


def test_the_sentence_names_what_is_read_and_what_is_known():
    assert mask_painter.say(painted()) == (
        "“b” reads a 96%, b 5%. After 1 layer it can know 2 of 3: a, b."
    )
