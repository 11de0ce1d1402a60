import signal
import sys
from dataclasses import dataclass

import pytest

from course_lib.plots import training
from course_lib.widgets import live
from course_lib.widgets.access import Access
from course_lib.widgets.live import Live


@dataclass(frozen=True)
class Record:
    """What training yields, as far as `live` and the plot look at it."""

    step: int
    total_steps: int = 40
    train_loss: float = 1.0
    validation_loss: float | None = None
    lr: float = 1e-3
    grad_norm: float = 0.5
    sample: str | None = None


class Clock:
    """Seconds that pass only when a step or a drawing takes some."""

    now = 0.0

    def __call__(self):
        return self.now


def steps(first, last, clock=None, seconds=0.05, stop_at=None, how=None):
    for step in range(first, last + 1):
        if clock:
            clock.now += seconds
        if step == stop_at:
            how()
        yield Record(step, train_loss=1 / step)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def raise_it():
    raise KeyboardInterrupt


def run(records, **more):
    more = {"draw": training.draw, "say": training.say, "size": (6, 2), "every": 0, **more}
    return live(records, 40, **more)


def test_all_records_are_kept_and_the_last_frame_is_drawn(pixels):
    done = run(steps(1, 40))
    assert [record.step for record in done.history] == list(range(1, 41))
    assert done.stopped_at is None
    assert done.sentence == training.say(done.history) == repr(done)
    again = run(iter([]), history=done.history)
    assert (pixels(again.image.value) == pixels(done.image.value)).all()


def test_pictures_are_throttled_but_the_last_is_right(pixels):
    clock = Clock()
    done = run(steps(1, 40, clock, seconds=0.05), every=0.2, clock=clock)
    assert 9 <= done.draws <= 13  # 40 steps of 0.05 s: 10 pictures, and those of start and end
    frozen = run(steps(1, 40), every=1e9, clock=Clock())
    assert frozen.draws == 2  # the empty one and the last one
    assert (pixels(frozen.image.value) == pixels(done.image.value)).all()
    assert frozen.sentence == done.sentence


def test_a_long_run_is_drawn_less_and_less_often():
    clock = Clock()
    done = run(steps(1, 1200, clock, seconds=0.05), every=0.2, clock=clock)
    # 60 seconds: 50 pictures in the first ten, then one for every fiftieth of the time so far.
    assert 110 < done.draws < 160 and done.history[-1].step == 1200
    each = run(steps(1, 40, Clock(), seconds=9), every=0, clock=Clock())
    assert each.draws == 42


@pytest.mark.parametrize("stop_at", [1, 2, 17, 40])
def test_an_interrupt_between_steps_keeps_the_step_that_was_running(stop_at):
    done = run(steps(1, 40, stop_at=stop_at, how=interrupt))
    assert done.stopped_at == stop_at and len(done.history) == stop_at
    assert done.sentence == (
        f"Stopped at step {stop_at} of 40; nothing is lost. {training.say(done.history)}"
    )


@pytest.mark.parametrize("stop_at", [1, 2, 17])
def test_an_interrupt_raised_by_the_iterator_keeps_all_before(stop_at):
    done = run(steps(1, 40, stop_at=stop_at, how=raise_it))
    assert done.stopped_at == stop_at - 1 and len(done.history) == stop_at - 1
    assert done.sentence.startswith(f"Stopped at step {stop_at - 1} of 40; nothing is lost.")


@pytest.mark.parametrize("how", [interrupt, raise_it])
def test_an_interrupt_during_a_drawing_keeps_all(how, pixels):
    calls = []

    def draw(fig, history):
        update = training.draw(fig, history)

        def update_or_stop(history):
            calls.append(len(history))
            if len(calls) == 8:
                how()
            return update(history)

        return update_or_stop

    done = run(steps(1, 40), draw=draw)
    assert done.stopped_at == len(done.history) == 7
    quiet = run(steps(1, 7))
    assert (pixels(done.image.value) == pixels(quiet.image.value)).all()


def test_interrupts_work_as_before_afterwards():
    run(steps(1, 40, stop_at=3, how=interrupt))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_iterator_can_go_on_after_a_stop():
    records = steps(1, 40, stop_at=5, how=interrupt)
    first = run(records)
    more = run(records, history=first.history)
    assert [record.step for record in more.history] == list(range(1, 41))
    assert len(first.history) == 5  # the older run stays what it was
    assert more.stopped_at is None and more.sentence.startswith("Step 40 of 40:")


def test_a_stop_before_the_first_record_is_no_error():
    done = run(steps(1, 40, stop_at=1, how=raise_it))
    assert done.stopped_at == 0 and done.history == []
    assert done.sentence == "Stopped at step 0 of 40; nothing is lost. No step has been made yet."


def test_other_errors_go_on_but_the_last_frame_is_drawn():
    seen = []

    def say(history):
        seen.append(len(history))
        return training.say(history)

    def fails():
        raise ValueError("loss is nan at step 7")

    with pytest.raises(ValueError, match="loss is nan at step 7"):
        run(steps(1, 40, stop_at=7, how=fails), say=say, every=1e9)
    assert seen[-1] == 6


def test_the_newest_sample_is_shown_as_text():
    records = [Record(1, sample="old"), Record(2, sample="if a < b:\n  <b>"), Record(3)]
    done = run(records)
    assert "after step 2" in done._sample.value
    assert "if a &lt; b:\n  &lt;b&gt;" in done._sample.value and "old" not in done._sample.value


def test_bar_time_and_offer_follow_the_run():
    clock = Clock()
    taken = []

    def watch():
        for record in steps(1, 40, clock, seconds=10):
            taken.append(record.step)
            yield record

    done = run(watch(), clock=clock, limit_seconds=180)
    assert done._bar.value == done._bar.max == 40
    assert "make 18 the last step" in done.pace.notice
    assert done._notice.sentence == "40 steps took 6 min 40 s."


def test_a_screen_reader_hears_the_end_and_not_every_frame(monkeypatch):
    module = sys.modules[live.__module__]
    made = []
    monkeypatch.setattr(module, "Access", lambda **more: made.append(Access(**more)) or made[0])
    heard = []

    def say(history):
        heard.append(made[0].announce)
        return training.say(history)

    done = run(steps(1, 3), say=say)
    assert heard == [False] * 4 + [True]
    assert made[0].sentence == done.sentence


def test_the_bundle_has_picture_and_sentence():
    done = run(steps(1, 5))
    data, metadata = done._repr_mimebundle_()
    assert data["text/plain"] == done.sentence and metadata["image/png"]["alt"] == done.sentence
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= set(data)


def test_bad_arguments_are_refused_before_anything_runs():
    for more, message in (({"every": -1}, "every must be >= 0"),):
        with pytest.raises(ValueError, match=message):
            run(steps(1, 40), **more)
    with pytest.raises(ValueError, match="total must be a whole number >= 1, got 0"):
        live(steps(1, 40), 0, training.draw, training.say)


def test_presses_while_the_last_picture_is_drawn_do_not_cost_the_history():
    def draw(fig, history):
        update = training.draw(fig, history)

        def impatient(history):
            if len(history) == 5:  # with `every` so large, only the last picture has five
                interrupt()
                interrupt()
            return update(history)

        return impatient

    assert len(run(steps(1, 5), draw=draw, every=100).history) == 5


def test_a_run_that_raises_says_so_in_its_sentence():
    def failing():
        yield from ()
        raise ValueError("loss must be finite, got nan")

    one = Live(40, training.draw, training.say, 0, 180, (6, 2), [], Clock())
    with pytest.raises(ValueError, match="loss must be finite"):
        one.run(failing())
    assert one.sentence.startswith(
        "The run ended early. ValueError: loss must be finite, got nan. No step"
    )


def test_records_that_are_not_finite_are_shown_as_far_as_they_can_be():
    odd = [float("nan"), float("inf"), 5e-324]
    done = run([Record(i, train_loss=loss, grad_norm=loss) for i, loss in enumerate(odd, 1)])
    assert len(done.history) == 3


def test_records_that_repeat_a_step_have_no_speed():
    assert len(run([Record(5)] * 12).history) == 12


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"records": None}, TypeError, "records must be an iterator, .* got None"),
        ({"records": [1]}, TypeError, "records must each have a whole number as step, got 1"),
        ({"total": 2.5}, TypeError, "total must be a whole number, got 2.5"),
        ({"total": float("inf")}, TypeError, "total must be a whole number, got inf"),
        ({"every": None}, TypeError, "every must be a number, got None"),
        ({"limit_seconds": float("nan")}, ValueError, "limit_seconds must be a finite number"),
        ({"limit_seconds": -1}, ValueError, "limit_seconds must be > 0, got -1"),
        ({"history": None}, TypeError, "history must be a list of records .* got None"),
        ({"history": [1]}, TypeError, r"history must be a list of records .* got \[1\]"),
    ],
)
def test_bad_input_is_named(change, error, message, as_shipped):
    given = {"records": [], "total": 40, "draw": training.draw, "say": training.say, **change}
    with pytest.raises(error, match=message):
        as_shipped(live)(**given)
