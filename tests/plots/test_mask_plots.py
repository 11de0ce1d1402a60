"""The figures of lesson 22: who knows what, fill values, padding."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_lib.plots import mask_tables, who_knows
from course_lib.plots.show import show
from course_lib.plots.style import K, V, new_figure


def known(reached, influence, n_layers=1):
    return SimpleNamespace(
        mask="causal", n_layers=n_layers, words=["a", "b"], visible=np.tril(np.ones((2, 2), bool)),
        reached=np.array(reached), influence=np.array(influence),
    )  # fmt: skip


CAUSAL = known([[True, False], [True, True]], [[1.0, 0.0], [0.2, 1.0]])
OPEN = known([[True, True], [True, True]], [[1.0, 0.3], [0.2, 1.0]], n_layers=2)


def test_what_has_no_influence_stays_white():
    figure, _ = new_figure((9, 3.6), 100)
    update = who_knows.draw(figure, CAUSAL)
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    (sizes,) = figure.axes[1].collections
    assert sizes.get_array().mask.tolist() == [[False, True], [False, False]]
    assert sizes.cmap(np.ma.masked)[:3] == (1, 1, 1)
    mask, changed, dots = update(OPEN)
    assert changed is sizes and not np.ma.is_masked(sizes.get_array())
    assert len(dots.get_xdata()) == 4
    assert limits == [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_what_is_weak_is_pale_and_every_reaction_has_a_colour_of_its_own():
    figure, _ = new_figure((9, 3.6), 100)
    who_knows.draw(figure, CAUSAL)
    (sizes,) = figure.axes[1].collections
    brightness = [sum(sizes.to_rgba(size)[:3]) for size in (0.001, 0.01, 0.1, 1.0, 5.0)]
    assert brightness == sorted(brightness, reverse=True) and len(set(brightness)) == 5
    assert brightness[0] < 2.5  # white would be 3


def test_dots_stand_at_output_down_and_input_across():
    figure, _ = new_figure((9, 3.6), 100)
    who_knows.draw(figure, CAUSAL)
    (dots,) = figure.axes[1].get_lines()
    points = set(zip(dots.get_xdata().tolist(), dots.get_ydata().tolist(), strict=True))
    assert points == {(0.5, 0.5), (0.5, 1.5), (1.5, 1.5)}


def test_the_sentence_tells_whether_ways_and_influence_agree():
    assert "Mask causal, 1 layer: 3 of 4 pairs" in who_knows.say(CAUSAL)
    assert "They are exactly the pairs" in who_knows.say(CAUSAL)
    assert "2 layers" in who_knows.say(OPEN)
    wrong = known([[True, True], [True, True]], CAUSAL.influence)
    assert "They are not exactly the pairs" in who_knows.say(wrong)


def fills():
    cells = [("replace", "-inf", "hidden", "NaN"), ("add", "-1e9", "hidden", "equal shares")]
    for way, fill, one, everything in cells:
        for dtype in ("float32", "float16"):
            yield SimpleNamespace(
                way=way, fill=fill, dtype=dtype, one_hidden=one, all_hidden=everything
            )


def cells_of(axes):
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    colours = {
        (box.get_x() + 0.5, box.get_y() + 0.5): box.get_facecolor()[:3] for box in axes.patches
    }
    return texts, colours


def test_every_cell_stands_in_its_row_and_column():
    figure, _ = new_figure((9, 3.6), 100)
    records = [*fills()]
    records[1].one_hidden = "error"
    mask_tables.draw_fills(figure, records)
    texts, colours = cells_of(figure.axes[0])
    assert texts == {
        (0.5, 0.5): "hidden", (1.5, 0.5): "error", (0.5, 1.5): "hidden", (1.5, 1.5): "hidden"
    }  # fmt: skip
    assert colours[0.5, 0.5] == to_rgb(V) and colours[1.5, 0.5] == to_rgb(K)
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["replaced by −∞", "(1 − mask) × −1e9 added"]
    assert cells_of(figure.axes[1])[0][0.5, 0.5] == "NaN"


def test_the_fills_sentence_counts():
    assert mask_tables.say_fills([*fills()]) == (
        "One key is hidden in every number format by 2 of 2 ways. A row with nothing to read "
        "becomes, over all ways and formats: 2 times NaN, 2 times equal shares."
    )


def test_padding_is_judged_by_its_size():
    records = [
        SimpleNamespace(model="BERT", side="left", handling=handling, change=change)
        for handling, change in (("nothing", 0.51), ("mask", 1e-15))
    ]
    figure, _ = new_figure((7, 2), 100)
    mask_tables.draw_padding(figure, records)
    texts, colours = cells_of(figure.axes[0])
    assert texts == {(0.5, 0.5): "0.5", (1.5, 0.5): "1e-15"}
    assert colours[0.5, 0.5] == to_rgb(K) and colours[1.5, 0.5] == to_rgb(V)
    picture = show(mask_tables.draw_padding, records, mask_tables.say_padding)
    assert "in 1 of 2 cases (BERT, padding on the left, nothing)" in repr(picture)


def test_an_outcome_nobody_has_thought_of_is_an_error():
    record = next(fills())
    record.one_hidden = "something"
    figure, _ = new_figure((9, 3.6), 100)
    with pytest.raises(KeyError):
        mask_tables.draw_fills(figure, [record])
