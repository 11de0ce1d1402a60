from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import activation
from course_lib.plots.show import show
from course_lib.plots.style import new_figure

X = np.linspace(-6, 6, 49)


def bend(name="GELU", spread=1.0, shift=0.0, dead=(0.0, 0.25, 1.0)):
    names = ("ReLU", "GELU", "SiLU")
    return SimpleNamespace(
        name=name, spread=spread, shift=shift, x=X, y=np.maximum(X, 0) - 0.1, slope=(X > 0) * 1.0,
        dead=dict(zip(names, dead, strict=True)), straight=dict.fromkeys(names, 0.75),
    )  # fmt: skip


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_widget_follows_the_data_and_keeps_its_limits():
    figure, _ = new_figure((9, 3.2), 100)
    update = activation.draw(figure, bend())
    before = limits(figure)
    data = bend("ReLU", 4.0, -6.0, dead=(1.0, 0.5, 0.1))
    changed = update(data)
    assert limits(figure) == before
    left, middle, right = figure.axes
    assert "ReLU" in (left.get_title(), left.get_title(loc="left"))
    # The first line of each panel is the axis at 0.
    np.testing.assert_array_equal(left.get_lines()[1].get_ydata(), data.y)
    np.testing.assert_array_equal(middle.get_lines()[1].get_ydata(), data.slope)
    assert [bar.get_width() for bar in right.patches] == [1.0, 0.5, 0.1]
    assert [text.get_text() for text in right.texts] == ["100%", "50%", "10%"]
    assert {left.get_lines()[1], middle.get_lines()[1], *right.patches} <= set(changed)


@pytest.mark.parametrize("shift", [-3.0, 2.0])
def test_the_bell_stands_over_the_mean_of_the_inputs(shift):
    figure, _ = new_figure((9, 3.2), 100)
    update = activation.draw(figure, bend())
    update(bend(shift=shift))
    for axes in figure.axes[:2]:
        (outline,) = axes.collections[0].get_paths()
        top = outline.vertices[outline.vertices[:, 1].argmax()]
        assert top[0] == shift


def test_widget_sentence():
    sentence = activation.say(bend("SiLU", 0.5, -2.0))
    assert "SiLU, inputs around -2 with a spread of 0.5" in sentence
    assert "ReLU 0%, GELU 25%, SiLU 100%" in sentence and "explains: ReLU 75%" in sentence


def test_dead_shares_lie_where_they_were_measured():
    data = ([-6.0, -3.0, 0.0], {"ReLU": [1.0, 0.9, 0.0], "GELU": [0.6, 0.0, 0.0]})
    figure, _ = new_figure((6, 3), 100)
    activation.draw_dead(figure, data)
    relu, gelu = figure.axes[0].get_lines()
    assert list(relu.get_ydata()) == [1.0, 0.9, 0.0] and list(gelu.get_xdata()) == [-6, -3, 0]
    assert "ReLU from -3 down, GELU from -6 down" in activation.say_dead(data)
    assert "GELU nowhere here" in activation.say_dead((data[0], {"GELU": [0.1, 0.0, 0.0]}))


def test_errors_name_the_worst_point():
    data = (
        X,
        {"tanh": 1.234e-4 * np.sin(X * np.pi / 2), "sigmoid": -0.0203 * np.exp(-((X + 2) ** 2))},
    )
    picture = repr(show(activation.draw_errors, data, activation.say_errors))
    assert "sigmoid 0.0203 at x = -2.00" in picture and "tanh 0.000123 " in picture


def test_ratios_far_from_1_stay_inside_the_axis():
    rows = [("look-up", SimpleNamespace(mean=0.1, low=0.05, high=0.2)),
            ("addition", SimpleNamespace(mean=0.2, low=0.1, high=0.3))]  # fmt: skip
    figure, _ = new_figure((7, 3), 100)
    activation.draw_ratios(figure, (rows, "gated layer", "GELU"))
    (axes,) = figure.axes
    assert axes.get_xlim()[0] < 0.05
    assert [tick.get_text() for tick in axes.get_xticklabels()][0] == "0.05"


def test_ratios_have_a_row_each_and_one_is_marked():
    rows = [("after 30", SimpleNamespace(mean=1.03, low=1.02, high=1.04)),
            ("after 60", SimpleNamespace(mean=0.78, low=0.7, high=0.86))]  # fmt: skip
    figure, _ = new_figure((7, 3), 100)
    activation.draw_ratios(figure, (rows, "GELU", "ReLU"))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"  # half and double are equally far from 1
    assert list(axes.get_lines()[2].get_xdata()) == [0.7, 0.86]
    assert list(axes.get_lines()[4].get_xdata()) == [1, 1]
    assert [text.get_text() for text in axes.texts] == ["GELU ahead", "ReLU ahead"]
    assert axes.get_xlim() == (0.4, 2.5)
    assert "after 60 0.78 (0.70 to 0.86)" in activation.say_ratios((rows, "GELU", "ReLU"))
