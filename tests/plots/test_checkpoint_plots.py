"""The figures of lesson 64 show the numbers and say them."""

import numpy as np
import pytest

from course_lib.plots import attention_explorer, attention_worth, layer_differences, other_shares
from course_lib.plots.attention_explorer import Head
from course_lib.plots.attention_worth import Worth
from course_lib.plots.layer_differences import LOWEST, LayerDifferences
from course_lib.plots.other_shares import OtherShares
from course_lib.plots.style import new_figure

SHARES = np.array([[0.5, 0.3, 0.2], [0.0, 1.0, 0.0], [0.01, 0.0, 0.99]])


def head(**changes):
    return Head(["a", "b", "c"], SHARES, 0, 2, 5, False)._replace(**changes)


def test_lines_are_drawn_for_shares_that_can_be_seen():
    figure, _ = new_figure((9, 3), 100)
    update = attention_explorer.draw(figure, head())
    lines, cells = figure.axes
    drawn = {tuple(line.get_ydata()): line.get_alpha() for line in lines.lines}
    assert drawn.keys() == {(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)}
    assert drawn[0, 0] == 0.5 and drawn[1, 1] == 0.25  # the chosen query's are stronger
    assert np.array_equal(cells.images[0].get_array(), SHARES)
    assert cells.images[0].get_clim() == (0, 1)
    update(head(query=2))
    rows = figure.axes[1].get_yticklabels()
    assert [row.get_text() for row in rows] == ["a", "b", "c"]
    assert [row.get_fontweight() for row in rows] == ["normal", "normal", "bold"]


def test_what_the_explorer_says():
    assert attention_explorer.say(head()) == (
        "Layer 2, head 5: “a” reads “a” 50%, “b” 30%, “c” 20%.")  # fmt: skip
    said = attention_explorer.say(head(head=None, written=True, query=2))
    assert said == "Layer 2, mean of all heads: “c” is written from “c” 99%, “a” 1%, “b” 0%."


LINES = LayerDifferences([0.0, 1e-6, 3e-6], {"one": [0.1, 1.0, 2.0], "two": [1.5, 1.9, 1.9]}, 1e-5)


def test_layers_are_compared_on_fixed_axes_and_labels_do_not_touch():
    figure, _ = new_figure((8, 3.6), 100)
    update = layer_differences.draw(figure, LINES)
    axes = figure.axes[0]
    assert axes.get_yscale() == "log" and axes.get_ylim()[0] < LOWEST
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["embedding", "1", "2"]
    heights = [text.xy[1] for text in axes.texts if text.get_text() in ("one", "two")]
    assert abs(np.diff(np.log10(heights))[0]) >= 0.74
    before = axes.get_ylim()
    lowest = axes.get_yticklabels()[0].get_text()
    assert lowest == "none"  # a logarithm has no place for the 0 among the lines
    update(LINES._replace(agreed=[]))
    assert figure.axes[0].get_yticklabels()[0].get_text() == "10⁻⁸"
    assert figure.axes[0].get_ylim() == before
    assert "ours" not in " ".join(text.get_text() for text in figure.axes[0].texts)


def test_what_the_layers_say():
    assert layer_differences.say(LINES) == (
        "Largest difference of a number in any layer: ours and the published code 3e-06; "
        "one 2.0; two 1.9."
    )
    assert "published" not in layer_differences.say(LINES._replace(agreed=[]))


def test_two_bars_a_layer():
    figure, _ = new_figure((8, 3), 100)
    data = Worth([0.5, 0.75], [0.25, 0.1], "[CLS]")
    attention_worth.draw(figure, data)
    heights = [patch.get_height() for patch in figure.axes[0].patches]
    assert heights == pytest.approx([50, 75, 25, 10])
    assert figure.axes[0].get_ylim() == (0, 100)
    said = attention_worth.say(data)
    assert "layer 1: 50% and 25%; layer 2: 75% and 10%." in said and "[CLS]" in said


def test_shares_before_and_after():
    figure, _ = new_figure((9, 4), 100)
    data = OtherShares(["a", ",", "c"], [0.6, 0.3, 0.1], [0.2, 0.8, 0.0], 3e-12, "“c” in head 2")
    update = other_shares.draw(figure, data)
    update(data)
    assert [len(axes.patches) for axes in figure.axes] == [3, 3]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[0].get_title() == "“c” in head 2: as computed"
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["a", "“,”", "c"]
    assert other_shares.say(data) == (
        "“c” in head 2: “a” falls from 60% to 20%, 1 of 3 tokens are read no more; the numbers of "
        "the mix change by less than 1e-11."
    )
