"""`live`: watch a training run, stop it with the interrupt button, and keep everything."""

import html
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ipywidgets import HTML

from course_lib.config import require_number, require_whole
from course_lib.widgets.access import Access
from course_lib.widgets.caption import Caption
from course_lib.widgets.progress import Pace
from course_lib.widgets.stop import StopRequest
from course_lib.widgets.watched_run import WatchedRun

_PRE = (
    "margin:0 4px; padding:6px 8px; max-height:14em; overflow:auto; white-space:pre-wrap;"
    " border:1px solid var(--jp-border-color1, #bbb); color:var(--jp-content-font-color1, inherit)"
)
# A picture when this share of the time so far has passed again: minutes of pictures five a second
# are more messages than a reader that does not keep up will hold (the last of them get lost).
_PARTS = 50


class Live(WatchedRun):
    """What `live` returns when the run has ended or was stopped.

    `pace.notice` offers a shorter run when this one takes longer than the limit.
    """

    def __init__(self, total, draw, say, every, limit_seconds, size, history, clock):
        pace = Pace(total, limit_seconds, clock)
        super().__init__(total, draw, say, every, size, history, pace, clock)
        self._least_every = every
        self._notice, self._sample = Caption(), HTML()
        parts = [self._progress, self._notice, self.image, self._caption, self._sample]
        self._frame(parts, Access(captions=2))
        self._draw()

    def run(self, records: Iterable) -> None:
        """Take all records, or as many as come before an interrupt."""
        self._open()
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
                self._notice.write(self.pace.summary())
                self._close()

    def _take(self, record: Any) -> None:
        self._keep(record)
        if getattr(record, "sample", None):
            self._show_sample(record)
        if self._least_every:
            self._every = max(self._least_every, self.pace.seconds / _PARTS)
        self._draw_when_due()

    def _draw(self) -> None:
        super()._draw()
        if self.pace.notice and not self._notice.sentence:
            self._notice.write(self.pace.notice)

    def _show_sample(self, record: Any) -> None:
        self._sample.value = (
            f'<p style="margin:4px">Text that the model made after step {record.step}:</p>'
            f'<pre tabindex="0" style="{_PRE}">{html.escape(record.sample)}</pre>'
        )


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
        every: Seconds between two pictures, more and more of them in a long run; the last one
            is always drawn, and with 0 each.
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
