"""The figures of lesson 23 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import head_learning, head_maps, head_roles, head_split, head_subspaces
from course_lib.plots.style import new_figure

GENERATOR = np.random.default_rng(0)


def split(n_heads, d_head=None):
    width = 64 // n_heads if d_head is None else d_head
    return SimpleNamespace(
        d_model=64, seq_len=24, n_heads=n_heads, d_head=width,
        parameters=260 * n_heads * width, operations=14_592 * n_heads * width,
        probabilities=576 * n_heads,
    )  # fmt: skip


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_split_moves_bars_stripes_and_cells_and_keeps_its_limits():
    figure, _ = new_figure((9, 3.2), 100)
    update = head_split.draw(figure, (split(1), split(1)))
    before = limits(figure)
    update((split(8), split(1)))
    assert limits(figure) == before
    matrix, maps, costs = figure.axes
    stripes = matrix.images[0].get_array()
    assert (stripes[0, :8] == 0).all() and (stripes[:, 8:] > 0).all()
    assert (np.diff(stripes[0]) != 0).sum() == 7
    cells = maps.images[0].get_array()
    assert (cells[::10, ::10] == 2).sum() == 8 and (cells[8] == 0).all()
    assert [bar.get_x() + bar.get_width() for bar in costs.patches] == pytest.approx([1, 1, 8])
    assert [text.get_text() for text in costs.texts] == ["16,640", "933,888", "4,608"]


def test_split_says_what_full_width_heads_cost():
    sentence = head_split.say((split(8, 64), split(1)))
    assert "8 heads of width 64" in sentence and "133,120 parameters (8 times" in sentence
    assert head_split.say((split(1), split(1))).startswith("1 head of width 64")
    figure, _ = new_figure((9, 3.2), 100)
    head_split.draw(figure, (split(8, 64), split(1)))
    assert figure.axes[0].texts[0].get_text() == "8 such matrices"


def glance(measure, length=6):
    return SimpleNamespace(
        text="ABC" * 5, length=length, measure=measure,
        maps=GENERATOR.dirichlet(np.ones(15), (2, 3, 15)),
        numbers=np.array([[1.5, 0.25, 0.5], [0, 0.125, -0.004]]),
    )  # fmt: skip


def test_every_head_has_its_map_and_its_number():
    figure, _ = new_figure((9, 5), 100)
    update = head_maps.draw(figure, glance("spread"))
    before = limits(figure)
    seen = glance("effect", 9)
    changed = update(seen)
    assert limits(figure) == before and len(changed) == 12
    panels = [axes for axes in figure.axes if axes.images and axes.texts]
    for place, axes in enumerate(panels):
        layer, head = divmod(place, 3)
        assert (axes.images[0].get_array() == seen.maps[layer, head]).all()
        assert (axes.images[0].norm.vmin, axes.images[0].norm.vmax) == (0, 1)
    assert [axes.texts[0].get_text() for axes in panels][:2] == [
        "loss +1.50 without it", "loss +0.25 without it"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("spread", "spread over: 0.2 places to 1.5 places in block 1"),
        ("effect", "+0.25 nats to +1.50 nats in block 1"),
        ("induction", "share on the next letter: 25% to 150%"),
        ("other", "share on the other place"),
        ("previous", "share one place back"),
    ],
)
def test_the_sentence_names_the_measure(measure, words):
    sentence = head_maps.say(glance(measure))
    assert words in sentence and "a word of 6 letters" in sentence and "-0%" not in sentence


def test_equal_numbers_are_said_once():
    data = glance("previous")
    data.numbers = np.full((2, 3), 0.001)
    assert "place back: 0% in block 1, 0% in block 2." in head_maps.say(data)


def roles(scale=1.0):
    return SimpleNamespace(
        loss=0.25,
        effects=scale * np.array([[0.5, 1.0], [0.01, -0.02]]),
        previous=np.full((2, 2), 0.01),
        induction=np.full((2, 2), 0.5),
        other=np.full((2, 2), 0.25),
        by_distance=GENERATOR.dirichlet(np.ones(9), (2, 2)),
    )


def test_effects_are_bars_and_small_ones_are_summed_up():
    figure, _ = new_figure((9, 3), 100)
    head_roles.draw_effects(figure, [roles(), roles(2)])
    first, second = figure.axes
    assert [bar.get_height() for bar in first.patches] == [0.5, 1.0, 0.01, -0.02]
    assert first.get_ylim() == second.get_ylim()
    assert [text.get_text() for text in first.texts] == ["0.5", "1.0", "each below 0.03"]
    assert "0.50 and 2.00 nats in block 1" in head_roles.say_effects([roles(), roles(2)])


def learning(n_heads, losses):
    return SimpleNamespace(n_heads=n_heads, steps=[0, 10, 20], losses=np.array(losses))


def test_learning_has_a_line_for_every_seed_and_their_mean():
    runs = [learning(1, [[3.0, 0.6, 0.5], [3.0, 0.4, 0.3]]), learning(4, [[3.0, 0.2, 0.1]])]
    figure, _ = new_figure((7, 3.8), 100)
    head_learning.draw_learning(figure, (runs, 0.65))
    *lines, coin = figure.axes[0].get_lines()
    assert [list(line.get_ydata()[1:]) for line in lines] == [
        [0.6, 0.5], [0.4, 0.3], [pytest.approx(0.5), pytest.approx(0.4)], [0.2, 0.1], [0.2, 0.1],
    ]  # fmt: skip
    assert set(coin.get_ydata()) == {0.65}
    assert {"1 head", "4 heads"} <= {text.get_text() for text in figure.axes[0].texts}
    sentence = head_learning.say_learning((runs, 0.65))
    assert "1 head: 0.50 after 10 steps, 0.40 after 20; 4 heads: 0.20" in sentence


def test_maps_show_the_scored_rows():
    maps = GENERATOR.dirichlet(np.ones(17), (3, 17))
    figure, _ = new_figure((9, 2.8), 100)
    head_learning.draw_maps(figure, (["a", "b", "c"], maps, 11))
    for axes, wanted in zip(figure.axes, maps[:, 11:], strict=False):
        assert (axes.images[0].get_array() == wanted).all()
        assert (axes.images[0].norm.vmin, axes.images[0].norm.vmax) == (0, 1)
    top = 100 * maps[1, 11:].max(axis=1).mean()
    assert f"b {top:.0f}%" in head_learning.say_maps((["a", "b", "c"], maps, 11))


def test_cosines_add_up_to_all_angles():
    data = SimpleNamespace(
        cosines=GENERATOR.uniform(0, 0.6, (3, 20)), mean_square=0.12, expected=0.125, d_model=64,
        joint_rank=64,
    )  # fmt: skip
    figure, _ = new_figure((7, 3), 100)
    head_subspaces.draw(figure, data)
    (steps,) = figure.axes[0].patches
    assert steps.get_data().values.sum() == pytest.approx(1)
    assert "0.1200" in head_subspaces.say(data) and "64 of 64" in head_subspaces.say(data)
