"""The figures of lesson 33 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import depth_ratios, gradient_flow, return_path, warmup_race
from course_lib.plots.show import show
from course_lib.plots.style import new_figure


def flow(depth, factor=2.0):
    """Every matrix of a block has `factor` times the gradient of the block above it."""
    layers = factor ** np.arange(depth)[::-1]
    return SimpleNamespace(
        weights=layers[:, None] * np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        stream=np.linspace(3, 1, depth + 1),
        variance=np.linspace(1, 4, depth + 1),
        likeness=np.linspace(0, 0.5, depth + 1),
    )


def record(placement, depth, factor=2.0, start="normal", causal=False):
    stack = SimpleNamespace(placement=placement, depth=depth, start=start, causal=causal)
    return SimpleNamespace(stack=stack, flow=flow(depth, factor))


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_flow_follows_the_data_and_keeps_its_limits():
    figure, _ = new_figure((9, 3.4), 100)
    update = gradient_flow.draw(figure, flow(2))
    before = limits(figure)
    changed = update(flow(5))
    assert limits(figure) == before
    w2 = changed[5]
    assert list(w2.get_xdata()) == [1, 2, 3, 4, 5]
    assert list(w2.get_ydata()) == pytest.approx([16, 8, 4, 2, 1])
    gradient, spread = changed[6:8]
    assert gradient.get_ydata()[0] == pytest.approx(3)
    assert spread.get_ydata()[0] == pytest.approx(0.5)  # the root of 1 / 4


def test_what_lies_beyond_is_drawn_on_the_edge():
    figure, _ = new_figure((9, 3.4), 100)
    changed = gradient_flow.draw(figure, flow(3))(flow(30))
    assert max(changed[0].get_ydata()) == figure.axes[0].get_ylim()[1]


def test_axes_fit_the_depth_that_was_asked_for():
    figure, _ = new_figure((9, 3.4), 100)
    changed = gradient_flow.draw_for(12, 0.2, 5.0)(figure, flow(6))
    assert limits(figure) == [((0, 13), (0.2, 5.0))] * 2
    assert list(figure.axes[0].get_yticks()) == [0.2, 0.5, 1, 2, 5]
    assert list(changed(flow(2, 0.1))[0].get_ydata()) == pytest.approx([0.2, 1])  # 0.1, clipped


def test_flow_sentence_has_each_ratio_and_both_ends():
    sentence = gradient_flow.say(flow(4))
    assert "4 blocks" in sentence and "Q 8, K 8" in sentence and "W2 8." in sentence
    assert "from 1 to 4" in sentence and "cosine of 0.50" in sentence


HISTORY = [
    record("Post-LN", 6, 1.0), record("Pre-LN", 6), record("Pre-LN", 2),
    record("Pre-LN", 2, 3.0, "linear"), record("Pre-LN", 2, 9.0, causal=True),
]  # fmt: skip


def test_depths_grow_with_the_history_a_line_a_start():
    figure, _ = new_figure((9, 3.4), 100)
    update = depth_ratios.draw_depths(figure, [])
    before = limits(figure)
    update(HISTORY)
    update(HISTORY)  # drawn anew, not twice
    assert limits(figure) == before
    post, pre = (axes.get_lines()[1:] for axes in figure.axes)
    assert [line.get_label() for line in pre] == ["normal", "linear"] and len(post) == 2
    assert list(post[0].get_ydata()) == [1]
    assert list(pre[0].get_xdata()) == [2, 6]
    assert list(pre[0].get_ydata()) == pytest.approx([2, 32])
    assert list(pre[1].get_ydata()) == pytest.approx([3])


def test_depths_sentence_names_the_deepest():
    sentence = depth_ratios.say_depths(HISTORY)
    assert "Post-LN: normal 1 at 6 blocks" in sentence
    assert "Pre-LN: normal 32 at 6, linear 3 at 2 blocks" in sentence
    assert depth_ratios.say_depths([]) == "Nothing has been measured yet."


def test_return_path_shows_what_was_measured_and_foretold():
    data = {
        "whole": {"a": ([2.0, 1.0, 4.0], None)},
        "cut": {"a": ([0.5, 1.0, 2.0], [0.2, 0.4, 1.0])},
    }
    figure, _ = new_figure((9, 3), 100)
    return_path.draw(figure, data)
    whole, cut = figure.axes
    assert [axes.get_title(loc="left") or axes.get_title() for axes in (whole, cut)] == [*data]
    assert list(whole.get_lines()[0].get_ydata()) == [0.5, 0.25, 1]
    measured, law = cut.get_lines()[:2]
    assert list(measured.get_ydata()) == [0.25, 0.5, 1] and list(law.get_ydata()) == [0.2, 0.4, 1]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "foretold"]
    sentence = return_path.say(data)
    assert "whole: a 0.5; cut: a 0.25 (foretold 0.2)." in sentence


def test_decay_is_relative_to_the_last_block():
    data = {"one": [0.25, 0.5, 1.0], "two": [3.0, 3.0, 2.0]}
    figure, _ = new_figure((8, 3), 100)
    depth_ratios.draw_decay(figure, data)
    one, two, law = figure.axes[0].get_lines()
    assert list(one.get_ydata()) == [0.25, 0.5, 1] and two.get_ydata()[0] == 1.5
    assert law.get_ydata()[0] == pytest.approx(0.5)
    picture = show(depth_ratios.draw_decay, data, depth_ratios.say_decay)
    assert "one 0.25, two 1.5" in repr(picture)


def test_race_draws_a_mean_of_the_last_steps_within_fixed_limits():
    history = [SimpleNamespace(step=i, losses={"a": float(i), "b": 1.0}) for i in range(1, 8)]
    figure, _ = new_figure((8, 3), 100)
    update = warmup_race.draw_for(["a", "b"], 10, 3.0)(figure, [])
    before = limits(figure)
    a, b = update(history)
    assert limits(figure) == before and a.get_ydata()[-1] == 5  # mean of 3 to 7
    assert a.get_ydata()[0] == 1 and list(b.get_xdata()) == list(range(1, 8))
    assert warmup_race.say(history) == "Loss at step 7, in nats: a 5; b 1."
    assert warmup_race.say([]) == "The race has not begun."
