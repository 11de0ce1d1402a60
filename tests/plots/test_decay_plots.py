from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import decay_by_scale, decay_race
from course_lib.plots.style import new_figure


def left(decay, l2, adamw):
    return SimpleNamespace(scales=(0.01, 1.0, 100.0), left={"Adam + L2": l2, "AdamW": adamw},
                           foretold=0.9, weight_decay=decay, n_steps=50)  # fmt: skip


def test_what_is_left_lies_where_it_was_measured_and_the_limits_stand_still():
    figure, _ = new_figure((8, 3), 100)
    update = decay_by_scale.draw(figure, left(0.1, [0.6, 0.8, 1.0], [0.9, 0.9, 0.9]))
    axes = figure.axes[0]
    limits = axes.get_xlim(), axes.get_ylim()
    data = left(1.0, [0.5, 0.6, 0.7], [0.8, 0.8, 0.8])
    changed = update(data)
    assert (axes.get_xlim(), axes.get_ylim()) == limits
    assert changed[0].get_ydata() == pytest.approx([0.5, 0.6, 0.7])
    assert changed[1].get_ydata() == pytest.approx([0.8, 0.8, 0.8])
    assert changed[-1].get_text() == "weight decay 1"
    assert "Adam + L2 leaves 0.500 at 0.01 and 0.700 at 100" in decay_by_scale.say(data)


def test_the_race_shows_losses_and_sizes():
    names = ("AdamW, 0.1", "Adam + L2, 0.1")
    history = [SimpleNamespace(step=k, losses={n: k + i for i, n in enumerate(names)},
                               sizes={n: 0.1 / k - 0.01 * i for i, n in enumerate(names)})
               for k in (1, 2)]  # fmt: skip
    figure, _ = new_figure((9, 3), 100)
    update = decay_race.draw_for(names, 10, 3.0, 0.12)(figure, [])
    losses, _, _, sizes = update(history)
    assert losses.get_xydata() == pytest.approx(np.array([[1, 1], [2, 2]]))
    assert sizes.get_ydata() == pytest.approx([0.09, 0.04])
    assert "Size of a weight: AdamW, 0.1 0.05; Adam + L2, 0.1 0.04." in decay_race.say(history)
    assert decay_race.say([]) == "The race has not begun."
