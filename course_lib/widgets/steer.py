"""`steer`: a run whose sliders act while it goes on."""

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, ClassVar

from IPython.display import display

from course_lib.config import require_number, require_whole
from course_lib.widgets.access import Access
from course_lib.widgets.control_group import ControlGroup, small_button
from course_lib.widgets.front_end import moves_acknowledged, somebody_watches
from course_lib.widgets.progress import Pace
from course_lib.widgets.still import StillPicture, StillSentence
from course_lib.widgets.stop import StopRequest
from course_lib.widgets.watched_run import WatchedRun

_NAP = 0.05  # seconds between two looks at the buttons while a step is not yet due


class Steer(WatchedRun):
    """What `steer` returns when the run has ended or was stopped.

    While it goes on, the loop gives way to the front end after every step.  Only there sliders
    move and buttons are heard, never inside a step.

    Attributes:
        controls: The ipywidgets by name.
        changes: For each change of the controls the first step made with it and all values.
        running: Whether steps are being made.
    """

    _latest: ClassVar["Steer | None"] = None  # a second one, started meanwhile, ends the first

    def __init__(self, step, start, total, draw, say, controls, every, seconds, size, clock):
        self._step, self._start, self._total = step, start, total
        self._group = ControlGroup(controls, lambda: None)
        self.controls = self._group.widgets
        names = inspect.signature(start).parameters if callable(start) else ()
        self._of_start = [name for name in controls if name in names]
        first = self._first()
        self._watched = somebody_watches()
        self._seconds = seconds if self._watched else 0
        self.running = self._stop = self._again = False
        pace = Pace(total, float("inf"), clock)
        every = every if self._watched else float("inf")
        super().__init__(total, draw, say, every, size, [first], pace, clock)
        self._button = small_button("Stop", self._on_button)
        row = self._group.row(self._button, small_button("Reset", self._on_reset))
        access = Access(sliders=self._group.n_sliders, captions=1)
        self._frame([row, self._progress, self.image, self._caption], access)
        self._begin()

    @property
    def values(self) -> dict[str, Any]:
        """Where the controls stand; the next step is made with these."""
        return self._group.values

    def set(self, **values) -> None:
        """Move controls from Python, as a reader would; ValueError for what they cannot hold."""
        self._group.set(values)

    def stop(self) -> None:
        """End the run after the step that is being made."""
        self._stop = True

    async def run(self, interrupt: StopRequest) -> None:
        """Make the steps up to the last, or up to a stop; `interrupt` is already watching."""
        Steer._latest, self.running = self, True
        self._loop = asyncio.get_running_loop()
        self._access.announce = False
        self._button.description = "Stop"
        try:
            await self._make_steps(interrupt)
        except (KeyboardInterrupt, asyncio.CancelledError) as stop:
            self.stopped_at = self.history[-1].step
            if isinstance(stop, asyncio.CancelledError):
                raise  # whoever cancelled the task waits for this
        except Exception as error:  # of the step or the plot; the sentence says so
            self.error = error
            raise
        finally:
            interrupt.closing = True  # an impatient second press must not cost the history
            self.running = False
            Steer._latest = None if Steer._latest is self else Steer._latest
            self._button.description = "Run again"
            self._close()

    def _close(self) -> None:
        super()._close()
        self._time.value = f"{self.pace.summary()} Move the controls and press Run again."

    def _save(self) -> None:
        """The live view stays as it is, or a slider would be torn out of the reader's hand."""
        if not self._watched:
            super()._save()
            return
        display(StillPicture(self.image, self.sentence, self._canvas.width))
        display(StillSentence(self.sentence))

    async def _make_steps(self, interrupt: StopRequest) -> None:
        self._begin()
        while True:
            await self._give_way(interrupt)
            if self._stop or interrupt.made:
                self.stopped_at = self.history[-1].step
                return
            if self._again or self._start_moved():
                self._begin()
            if self.history[-1].step >= self._total:
                return
            self._make_step()
            self._draw_when_due()

    def _begin(self) -> None:
        """Back to the start: one record, and a picture of it."""
        self.history, self.changes = [self._first()], []
        self._began_with = self.values
        self.stopped_at = self.error = None
        self._stop = self._again = False
        self.pace = Pace(self._total, float("inf"), self._clock)
        self._bar.bar_style = ""
        self._began = self._clock()
        self._draw()

    def _first(self) -> Any:
        """The record before any step."""
        start = self._start
        if callable(start):
            start = start(**{name: self.values[name] for name in self._of_start})
        if not isinstance(getattr(start, "step", None), int):
            raise TypeError(f"start must be a record with a whole number as step, got {start!r}")
        if start.step >= self._total:
            raise ValueError(f"start must come before step {self._total}, got step {start.step}")
        return start

    def _start_moved(self) -> bool:
        values = self.values
        return any(values[name] != self._began_with[name] for name in self._of_start)

    def _make_step(self) -> None:
        last, values = self.history[-1], self.values
        others = {name: value for name, value in values.items() if name not in self._of_start}
        record = self._step(last, **others)
        if getattr(record, "step", last.step + 1) <= last.step:
            raise ValueError(f"step must lead on from step {last.step}, got step {record.step}")
        self._keep(record)
        if not self.changes or self.changes[-1][1] != values:
            self.changes.append((record.step, values))

    async def _give_way(self, interrupt: StopRequest) -> None:
        """Let sliders and buttons act, and wait until the next step is due."""
        first, last = self.history[0].step, self.history[-1].step
        due = self._began + self._seconds * (last - first) / (self._total - first)
        interrupt.closing = True  # an interrupt raised in the event loop would end the kernel
        await asyncio.sleep(0)
        while not (self._stop or self._again or interrupt.made or self._start_moved()):
            left = due - self._clock()
            if left <= 0:
                break
            await asyncio.sleep(min(left, _NAP))
        interrupt.closing = False

    def _on_button(self, _button: Any) -> None:
        if self.running:
            self.stop()
        else:
            self._run_again()

    def _on_reset(self, _button: Any) -> None:
        """The sliders back to where they stood at first, and the run to its first step."""
        self._group.set(self._group.start)
        if self.running:
            self._again = True
        else:
            self._run_again()

    def _run_again(self) -> None:
        """Go once more, beside the cells: the one that showed this has long ended."""
        self._handle = None  # the saved output stays that of the cell
        # Nobody waits for this task, so it has no interrupt to watch: the button stops it.
        self._task = asyncio.get_running_loop().create_task(self._run_quietly())

    async def _run_quietly(self) -> None:
        try:
            await _end_latest()
            await self.run(StopRequest())
        except Exception as error:  # the reader sees it in the sentence
            self.error = error


async def steer(
    step: Callable[..., Any],
    total: int,
    draw: Callable,
    say: Callable[[Any], str],
    *,
    start: Any,
    seconds: float = 10,
    unwatched: int | None = None,
    every: float = 0.1,
    size: tuple[float, float] = (9, 3),
    clock: Callable[[], float] = time.perf_counter,
    **controls: Any,
) -> Steer:
    """Make one step after the other and show each; sliders that are moved act from the next on.

    A cell waits for it: `run = await steer(...)` shows itself while it goes on.  The interrupt
    button and Stop end it and keep all; Reset and Run again start over, also later on.  When a
    program runs the notebook, it goes through as fast as it can with the values at first.

    Args:
        step: `step(last, **values)`: the record after `last`, made with the controls' values;
            pure, and quick (some ms), as nothing else happens meanwhile.
        total: The step after which it ends.
        draw: `draw(fig, history) -> update` of a plot module; a history may be shorter than the
            one before, after Reset.
        say: `say(history)`: the sentence under the picture.
        start: The first record; each has a whole number as `step`, this one usually 0.  Or a
            function that makes it: of the controls that it has as arguments, which `step` then
            does not get.  When one of these moves, the run begins again.
        seconds: How long all steps take together, so that there is time to steer.
        unwatched: The last step when a program runs the notebook; `total` if None.
        every: Seconds between two pictures; the last one is always drawn.
        size: Inches of the figure.
        clock: Seconds; tests give a false one.
        **controls: One to four, as for `explore`.

    Returns:
        The history, the changes that the reader made, and where the run was stopped.
    """
    _check(total, seconds, every, unwatched)
    if unwatched is not None and not somebody_watches():
        total = unwatched
    await _end_latest()  # before this one takes over the interrupts
    # From the start, because building the figure takes a while.
    with moves_acknowledged(), StopRequest() as interrupt:
        run = Steer(step, start, total, draw, say, controls, every, seconds, size, clock)
        run._open()
        await run.run(interrupt)
    return run


async def _end_latest() -> None:
    """Stop a run that goes on beside this one, and wait until it has ended."""
    here = asyncio.get_running_loop()  # a loop that was given up can end nothing
    while Steer._latest is not None and Steer._latest._loop is here:
        Steer._latest.stop()
        await asyncio.sleep(0)


def _check(total, seconds, every, unwatched) -> None:
    """Raise before anything is shown when a number cannot be right."""
    require_whole(1, total=total)
    if unwatched is not None:
        require_whole(1, unwatched=unwatched)
    require_number(seconds=seconds, every=every)
    for name, value in (("seconds", seconds), ("every", every)):
        if value < 0:
            raise ValueError(f"{name} must be >= 0 seconds, got {value}")
