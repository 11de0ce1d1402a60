"""`live`: watch a training run, stop it with the interrupt button, and keep everything."""

import html
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from ipywidgets import HTML, HBox, Image, IntProgress, Layout

from course_lib.config import require_number, require_whole
from course_lib.widgets.access import Access, course_box
from course_lib.widgets.canvas import BlitCanvas
from course_lib.widgets.caption import Caption
from course_lib.widgets.progress import Pace
from course_lib.widgets.still import StillSentence, bundle
from course_lib.widgets.stop import StopRequest

_PRE = (
    "margin:0 4px; padding:6px 8px; max-height:14em; overflow:auto; white-space:pre-wrap;"
    " border:1px solid var(--jp-border-color1, #bbb); color:var(--jp-content-font-color1, inherit)"
)


class Live:
    """What `live` returns when the run has ended or was stopped.

    Attributes:
        history: All records, those given at the start included.
        stopped_at: The step of the last record when the reader stopped the run, else None.
        error: What ended the run, as long as it is raised; None when all went well.
        sentence: The caption under the picture.
        image: The ipywidgets Image with the current PNG.
        pace: Speed and time of the run, and the offer of a shorter one (`pace.notice`).
        draws: How many pictures were drawn.
    """

    def __init__(self, total, draw, say, every, limit_seconds, size, history, clock):
        self.history = list(history)
        self.stopped_at: int | None = None
        self.error: Exception | None = None
        self.draws = 0
        self.pace = Pace(total, limit_seconds, clock)
        self._say, self._every, self._clock = say, every, clock
        self._canvas = BlitCanvas(draw, self.history, size)
        self._drawn_at = -float("inf")
        self._build(total)
        self._draw()

    def _build(self, total: int) -> None:
        self._bar = IntProgress(0, 0, total, layout=Layout(width="300px"))
        self._time, self._notice = HTML(), Caption()
        self.image = Image(
            format="png", width=self._canvas.width, height=self._canvas.height,
            layout=Layout(max_width="100%", flex="0 0 auto"),
        )
        self._caption, self._sample = Caption(), HTML()
        self._access = Access(captions=2)
        self._access.announce = False  # a screen reader cannot follow five sentences a second
        self.box = course_box(
            [HBox([self._bar, self._time]), self._notice, self.image, self._caption, self._sample],
            self._access,
        )

    def run(self, records: Iterable) -> None:
        """Take all records, or as many as come before an interrupt."""
        handle = display(self, display_id=True) if InteractiveShell.initialized() else None
        with StopRequest() as stop:
            try:
                for record in records:
                    self._take(record)
                    if stop.made:
                        raise KeyboardInterrupt
            except KeyboardInterrupt:
                self.stopped_at = self.history[-1].step if self.history else 0
            except Exception as error:  # of the run itself; the output says so above the traceback
                self.error = error
                raise
            finally:
                stop.closing = True  # an impatient second press must not cost the history
                self._finish()
                if handle is not None:
                    handle.update(self)  # the last picture replaces the first in the saved file
                    display(StillSentence(self.sentence))

    def _take(self, record: Any) -> None:
        if not isinstance(getattr(record, "step", None), int):
            raise TypeError(f"records must each have a whole number as step, got {record!r}")
        self.history.append(record)
        self.pace.note(record.step)
        if getattr(record, "sample", None):
            self._show_sample(record)
        if self._clock() - self._drawn_at >= self._every:
            self._draw()

    def _draw(self) -> None:
        """Bring picture, sentence and bar up to date."""
        self.image.value = self._canvas.png(self.history)
        self._write(self._say(self.history))
        if self.history:
            self._bar.value = self.history[-1].step
            self._time.value = f"<span>{html.escape(self.pace.describe())}</span>"
        if self.pace.notice and not self._notice.sentence:
            self._notice.write(self.pace.notice)
        self.draws += 1
        self._drawn_at = self._clock()

    def _finish(self) -> None:
        self._access.announce = True
        self._draw()
        self._notice.write(self.pace.summary())
        if self.stopped_at is not None:
            self._bar.bar_style = "warning"
            self._write(
                f"Stopped at step {self.stopped_at} of {self.pace.total}; nothing is lost. "
                + self._say(self.history)
            )
        elif self.error is not None:
            self._bar.bar_style = "danger"
            reason = f"{type(self.error).__name__}: {self.error}".rstrip(".")
            self._write(f"The run ended early. {reason}. {self._say(self.history)}")
        self._access.sentence = self.sentence

    def _write(self, sentence: str) -> None:
        self.sentence = sentence
        self._caption.write(sentence)

    def _show_sample(self, record: Any) -> None:
        self._sample.value = (
            f'<p style="margin:4px">Text that the model made after step {record.step}:</p>'
            f'<pre tabindex="0" style="{_PRE}">{html.escape(record.sample)}</pre>'
        )

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.box, self.image, self.sentence, self._canvas.width)


def live(
    records: Iterable,
    total: int,
    draw: Callable,
    say: Callable[[Any], str],
    every: float = 0.2,
    limit_seconds: float = 180,
    size: tuple[float, float] = (9, 3),
    history: Sequence = (),
    clock: Callable[[], float] = time.perf_counter,
) -> Live:
    """Run through `records` and show each as it comes; the interrupt button stops the run.

    Assign the result: `run = live(...)` shows itself while it goes on.

    Args:
        records: An iterator that does the work, such as `training.train(...)`; each record has
            a `step`, and may have a `sample` of text.
        total: The last step of the run.
        draw: `draw(fig, history) -> update` of a plot module.
        say: `say(history)`: the sentence under the picture.
        every: Seconds between two pictures; the last one is always drawn.
        limit_seconds: When the run will take longer, a shorter one is offered.
        size: Inches of the figure.
        history: Records of earlier runs, to go on from.
        clock: Seconds; tests give a false one.

    Returns:
        The history, where the run stopped, and the pace; also after an interrupt.
    """
    if not isinstance(records, Iterable):
        raise TypeError(f"records must be an iterator, such as train(...), got {records!r}")
    require_whole(1, total=total)
    require_number(every=every, limit_seconds=limit_seconds)
    if every < 0:
        raise ValueError(f"every must be >= 0 seconds, got {every}")
    if limit_seconds <= 0:
        raise ValueError(f"limit_seconds must be > 0, got {limit_seconds}")
    if not isinstance(history, Sequence) or not all(hasattr(r, "step") for r in history):
        raise TypeError(f"history must be a list of records with a step, got {history!r}")
    run = Live(total, draw, say, every, limit_seconds, size, history, clock)
    run.run(records)
    return run
