import asyncio
import signal
import sys
from dataclasses import dataclass

import pytest

from course_lib.widgets import Steer, steer

MODULE = sys.modules[steer.__module__]


@dataclass(frozen=True)
class Place:
    """Where somebody is who walks with a speed that can be steered."""

    step: int = 0
    x: float = 0.0


def walk(last, speed, back=False):
    return Place(last.step + 1, last.x + (-speed if back else speed))


def draw(fig, history):
    axes = fig.subplots()
    axes.set(xlim=(0, 30), ylim=(-30, 90))
    (line,) = axes.plot([], [])

    def update(history):
        line.set_data([place.step for place in history], [place.x for place in history])
        return [line]

    return update


def say(history):
    return f"At {history[-1].x:g} after {history[-1].step} steps."


def walking(step=walk, total=30, **more):
    given = {"start": Place(), "seconds": 0, "size": (3, 2), "every": 1e9}
    return steer(step, total, draw, say, **{**given, "speed": (-3, 3, 1, 1), "back": False, **more})


async def when(step, act):
    """Act as a reader does: between two steps, as soon as so many are made."""
    while Steer._latest is None or Steer._latest.history[-1].step < step:
        await asyncio.sleep(0)
    act(Steer._latest)


def play(run, *acts):
    """The run beside what a reader does while it goes on."""

    async def both():
        done, *_ = await asyncio.gather(run, *(when(step, act) for step, act in acts))
        return done

    return asyncio.run(both())


def places(run):
    return [place.x for place in run.history]


def move(**values):
    """What a front end does: one value after the other."""

    def act(run):
        for name, value in values.items():
            run.controls[name].value = value

    return act


def press(which):
    """Click Stop (0; Run again after the end) or Reset (1)."""
    return lambda run: run.box.children[0].children[len(run.controls) + which].click()


def interrupt(_run=None):
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def watched(monkeypatch):
    """As in a browser."""
    monkeypatch.setattr(MODULE, "somebody_watches", lambda: True)


def test_without_a_reader_it_ends_by_itself_with_the_values_at_first():
    run = play(walking(seconds=1e6, every=0, unwatched=12))
    assert places(run) == list(range(13)) and run.stopped_at is None and not run.running
    assert run.sentence == repr(run) == "At 12 after 12 steps."
    assert run.changes == [(1, {"speed": 1, "back": False})]
    assert play(walking()).history[-1].step == 30


def test_a_moved_slider_acts_from_the_next_step_on(watched):
    run = play(walking(), (10, move(speed=3)), (20, move(back=True)))
    assert places(run)[:11] == list(range(11))
    assert places(run)[10:21] == list(range(10, 43, 3))
    assert places(run)[20:] == list(range(40, 9, -3))
    first = {"speed": 1, "back": False}
    assert run.changes == [
        (1, first), (11, {**first, "speed": 3}), (21, {"speed": 3, "back": True})
    ]


def test_a_control_of_the_start_begins_again_and_is_none_of_the_step(watched):
    def start(x0, more=0.5):
        return Place(0, x0 + more)

    run = play(walking(start=start, x0=(0, 9, 1, 4)), (5, move(speed=2)), (10, move(x0=7)))
    assert places(run) == [7.5 + 2 * i for i in range(31)]
    assert run.changes == [(1, {"speed": 2, "back": False, "x0": 7})]


def test_set_moves_all_or_nothing(watched):
    def act(run):
        with pytest.raises(ValueError, match="speed must be a number from -3 to 3 .* got 9"):
            run.set(back=True, speed=9)
        run.set(back=True, speed=2)

    run = play(walking(), (29, act))
    assert places(run)[-2:] == [29, 27]


def test_the_last_picture_is_that_of_the_whole_history(watched, pixels):
    often, once = play(walking(every=0)), play(walking())
    assert often.draws > 30 and once.draws == 3  # built, begun, ended
    assert (pixels(often.image.value) == pixels(once.image.value)).all()
    other = play(walking(), (15, move(speed=3)))
    assert (pixels(other.image.value) != pixels(once.image.value)).any()


@pytest.mark.parametrize("stop", [press(0), interrupt, Steer.stop])
@pytest.mark.parametrize("step", [0, 1, 17, 29])
def test_a_stop_between_two_steps_keeps_all(watched, stop, step):
    run = play(walking(), (step, stop))
    assert run.stopped_at == step == run.history[-1].step and not run.running
    assert run.sentence == f"Stopped at step {step} of 30; nothing is lost. {say(run.history)}"


def test_an_interrupt_inside_a_step_waits_for_its_end(watched):
    def step(last, speed, back):
        if last.step == 6:
            interrupt()
        return walk(last, speed, back)

    run = play(walking(step))
    assert run.stopped_at == 7 and places(run) == list(range(8))


def test_a_second_interrupt_ends_a_step_that_does_not_end(watched):
    def step(last, speed, back):
        while last.step == 6:
            interrupt()
        return walk(last, speed, back)

    run = play(walking(step))
    assert run.stopped_at == 6 and places(run) == list(range(7))


def test_many_interrupts_between_steps_never_reach_the_event_loop(watched):
    def impatient(run):
        for _ in range(3):
            interrupt()

    assert play(walking(), (5, impatient)).stopped_at == 5


def test_interrupts_work_as_before_afterwards(watched):
    play(walking(), (3, interrupt))
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_a_slow_run_is_stopped_without_waiting_for_the_next_step(watched):
    run = play(walking(seconds=1e6), (0, press(0)))
    assert run.stopped_at == 0


def test_a_stop_is_not_lost_when_the_start_moves_in_the_same_moment(watched):
    def both(run):
        run.set(x0=7)
        run.stop()

    run = play(walking(start=lambda x0: Place(0, x0), x0=(0, 9, 1, 4), seconds=1e6), (1, both))
    assert run.stopped_at == 1 and places(run) == [4, 5]


def test_steps_are_spread_over_the_seconds(watched):
    run = play(walking(total=10, seconds=0.3))
    assert 0.27 <= run.pace.seconds < 3  # the last step is due at 0.27 s


def test_reset_begins_again_with_the_values_at_first(watched):
    run = play(walking(), (5, move(speed=3)), (10, press(1)))
    assert places(run) == list(range(31)) and run.stopped_at is None
    assert run.changes == [(1, {"speed": 1, "back": False})]


def test_run_again_after_the_end_keeps_the_values_and_reset_does_not(watched):
    async def course():
        run = await walking()
        move(speed=2)(run)
        press(0)(run)
        await run._task
        again = places(run)
        press(1)(run)
        await asyncio.sleep(0)
        assert run.running
        await run._task
        return run, again

    run, again = asyncio.run(course())
    assert again == list(range(0, 61, 2)) and places(run) == list(range(31))
    assert run.values == {"speed": 1, "back": False}


def test_an_error_in_a_step_is_raised_and_said_and_nothing_is_lost(watched):
    def step(last, speed, back):
        if speed == 0:
            raise ZeroDivisionError("nobody moves")
        return walk(last, speed, back)

    kept = []
    with pytest.raises(ZeroDivisionError, match="nobody moves"):
        play(walking(step), (4, kept.append), (4, move(speed=0)))
    (run,) = kept
    assert places(run) == list(range(5)) and not run.running
    assert run.sentence == (
        "The run ended early. ZeroDivisionError: nobody moves. At 4 after 4 steps."
    )


def test_an_error_when_run_again_is_said(watched):
    def step(last, speed, back):
        return walk(last, 1 / speed, back)

    async def course():
        run = await walking(step)
        move(speed=0)(run)
        press(0)(run)
        await run._task
        said = run.sentence
        move(speed=1)(run)
        press(0)(run)
        await run._task
        return said, run

    said, run = asyncio.run(course())
    assert said.startswith("The run ended early. ZeroDivisionError: division by zero.")
    assert run.error is None and run.sentence == "At 30 after 30 steps."


def test_a_run_that_is_cancelled_keeps_what_it_has(watched):
    kept = []

    async def course():
        task = asyncio.create_task(walking())
        await when(8, kept.append)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(course())
    (run,) = kept
    assert run.stopped_at == 8 and places(run) == list(range(9)) and not run.running
    assert run.sentence.startswith("Stopped at step 8 of 30; nothing is lost.")
    assert play(walking()).stopped_at is None  # the next one is not disturbed


def test_a_run_started_meanwhile_ends_the_first(watched):
    async def course():
        first = asyncio.create_task(walking(seconds=1e6))
        await when(1, lambda run: None)
        return await asyncio.gather(first, walking(speed=(-3, 3, 1, 2)))

    before = signal.getsignal(signal.SIGINT)
    first, second = asyncio.run(course())
    assert first.stopped_at == 1 and second.stopped_at is None
    assert signal.getsignal(signal.SIGINT) is before
    assert places(second) == list(range(0, 61, 2))


def test_an_impatient_double_click_starts_one_run(watched):
    async def course():
        run = await walking()
        press(0)(run)
        press(0)(run)
        await run._task
        return run

    run = asyncio.run(course())
    assert places(run) == list(range(31)) and not run.running and Steer._latest is None


def test_a_run_whose_loop_was_given_up_stands_in_nobodys_way(watched):
    loop = asyncio.new_event_loop()
    task = loop.create_task(walking(seconds=1e6))
    loop.run_until_complete(when(1, lambda run: None))
    given_up = Steer._latest
    try:
        assert play(walking()).stopped_at is None
    finally:
        Steer._latest = given_up
        task.cancel()
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.close()


def test_two_runs_one_after_the_other_know_nothing_of_each_other(watched):
    first = play(walking(), (10, move(speed=3)), (12, press(0)))
    second = play(walking())
    assert first.stopped_at == 12 and len(first.history) == 13
    assert places(second) == list(range(31)) and second.values["speed"] == 1


def test_a_screen_reader_hears_the_end_and_not_every_frame(watched):
    heard = []

    def listen(run):
        heard.append(run._access.announce)

    async def course():
        run, _ = await asyncio.gather(walking(every=0), when(9, listen))
        heard.append(run._access.announce)
        press(0)(run)
        await when(9, listen)
        await run._task
        return run

    run = asyncio.run(course())
    assert heard == [False, True, False] and run._access.announce
    assert run._access.sentence == run.sentence


def test_the_bundle_has_picture_and_sentence():
    data, metadata = play(walking())._repr_mimebundle_()
    assert data["text/plain"] == metadata["image/png"]["alt"] == "At 30 after 30 steps."
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= set(data)


def test_a_step_that_leads_nowhere_is_an_error():
    kept = []
    with pytest.raises(ValueError, match="step must lead on from step 0, got step 0"):
        play(walking(lambda last, **values: last), (0, kept.append))
    assert places(kept[0]) == [0]
    with pytest.raises(TypeError, match="records must each have a whole number .* got None"):
        play(walking(lambda last, **values: None))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"start": None}, TypeError, "start must be a record .* got None"),
        ({"total": 0}, ValueError, "total must be a whole number >= 1, got 0"),
        ({"total": 4, "start": Place(4)}, ValueError, "start must come before step 4, got step 4"),
        ({"start": lambda speed: speed}, TypeError, "start must be a record .* got 1"),
        ({"total": 2.5}, TypeError, "total must be a whole number, got 2.5"),
        ({"unwatched": 0}, ValueError, "unwatched must be a whole number >= 1, got 0"),
        ({"seconds": -1}, ValueError, "seconds must be >= 0 seconds, got -1"),
        ({"every": None}, TypeError, "every must be a number, got None"),
        ({"speed": (1, 2)}, ValueError, "speed must be .* got"),
    ],
)
def test_bad_input_is_named(change, error, message, as_shipped):
    given = {"step": walk, "total": 30, "draw": draw, "say": say, "start": Place(), **change}
    given = {"speed": (-3, 3, 1, 1), **given}
    with pytest.raises(error, match=message):
        asyncio.run(as_shipped(steer)(**given))
