"""The figures of lesson 43 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import pytest

from course_lib.plots import bad_batch, schedule_trial, update_sizes
from course_lib.plots.show import show
from course_lib.plots.style import new_figure


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def trial(rates, losses):
    return SimpleNamespace(decay="cosine", held=True, rates=rates, losses=losses)


def test_a_schedule_and_its_loss_within_fixed_limits():
    figure, _ = new_figure((9, 3), 100)
    update = schedule_trial.draw_for(2, 2)(figure, trial([0.1] * 4, [5.0] * 4))
    before = limits(figure)
    rate, loss = update(trial([0.05, 0.1, 0.0, -0.05], [5.0, 1.0, 1e-9, 1e9]))
    assert limits(figure) == before
    assert list(rate.get_ydata()) == [0.05, 0.1, 0.0, -0.05]
    assert list(loss.get_ydata()) == [5.0, 1.0, *schedule_trial.LOSS_RANGE]


def test_a_schedule_in_words():
    said = schedule_trial.say_for(2)(trial([0.05, 0.1, 0.0, -0.05], [5.0, 1.0, 2.0, 3.0]))
    assert said == (
        "Decay: cosine. The loss is 1 at step 2, where the schedule ends with a rate of 0.1, and "
        "3 at step 4, with -0.05."
    )


def test_update_sizes_beside_the_law():
    figure, _ = new_figure((9, 3), 100)
    data = {"a": [1.0, 0.5], "b": [0.3, 0.2]}, [1.0, 0.7]
    update = update_sizes.draw(figure, data)
    before = limits(figure)
    a, b = update(({"a": [0.9, 0.4], "b": [0.1, 0.1]}, [1.0, 0.7]))
    assert limits(figure) == before
    assert list(a.get_ydata()) == [0.9, 0.4] and list(b.get_ydata()) == [0.1, 0.1]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["a", "b", "averaged noise"]
    assert "a 1.00, then 0.50; b 0.30, then 0.20" in update_sizes.say(data)
    assert update_sizes.say(data).endswith("Averaged noise would give 1.00, then 0.70.")


def spoilt(worst, at=2):
    runs = {"no bad batch": [2.0, 1.0, 0.5], "not clipped": [2.0, worst, 9.0], "clipped": [1.0] * 3}
    return SimpleNamespace(optimiser="SGD", noise=10.0, at=at, sizes=runs, losses=runs)


def test_a_bad_batch_within_fixed_limits():
    figure, _ = new_figure((9, 3), 100)
    update = bad_batch.draw(figure, spoilt(10.0, at=1))
    before = limits(figure)
    *lines, left, right, text = update(spoilt(1e9))
    assert limits(figure) == before and len(lines) == 6
    assert left.get_xdata() == right.get_xdata() == [2, 2]
    assert text.get_position()[0] < 2 and text.get_ha() == "right"
    assert list(lines[0].get_ydata()) == [2.0, 1.0, 0.5]
    assert lines[1].get_ydata()[1] == bad_batch.SIZE_RANGE[1]
    assert lines[4].get_ydata()[1] == bad_batch.LOSS_RANGE[1]


def test_a_bad_batch_in_words():
    said = bad_batch.say(spoilt(10.0))
    assert said.startswith("SGD, noise 10 times as large in step 2. no bad batch: update 1 long")
    assert "not clipped: update 10 long, loss 2 before it, 10 after, at most 10 within" in said
    assert said.endswith(
        "clipped: update 1 long, loss 1 before it, 1 after, at most 1 within 15 "
        "steps, 1 at the end."
    )


@pytest.mark.parametrize(
    ("draw", "data"),
    [
        (schedule_trial.draw_for(2, 1), trial([0.1] * 3, [1.0] * 3)),
        (bad_batch.draw, spoilt(3.0)),
        (update_sizes.draw, ({"a": [1.0, 0.5]}, [1.0, 0.7])),
    ],
)
def test_they_can_be_shown(draw, data):
    bundle, _ = show(draw, data, lambda data: "Words.")._repr_mimebundle_()
    assert bundle["text/plain"] == "Words." and len(bundle["image/png"]) > 1000
