"""`WatchedRun`: picture, progress and sentence of a run while it goes on and after its end."""

import html
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from ipywidgets import HTML, HBox, IntProgress, Layout

from course_lib.widgets.access import Access, course_box
from course_lib.widgets.canvas import BlitCanvas
from course_lib.widgets.caption import Caption
from course_lib.widgets.progress import Pace
from course_lib.widgets.still import StillSentence, bundle


class WatchedRun:
    """What `live` and `steer` have in common; they call `_frame` with the parts they show.

    Attributes:
        history: All records, those given at the start included.
        stopped_at: The step of the last record when the reader stopped the run, else None.
        error: What ended the run, as long as it is raised; None when all went well.
        sentence: The caption under the picture.
        image: The ipywidgets Image with the current PNG.
        pace: Speed and time of the run.
        draws: How many pictures were drawn.
    """

    def __init__(self, total, draw, say, every, size, history, pace: Pace, clock):
        self.history = list(history)
        self.stopped_at: int | None = None
        self.error: Exception | None = None
        self.draws = 0
        self.pace = pace
        self._say, self._every, self._clock = say, every, clock
        self._canvas = BlitCanvas(draw, self.history, size)
        self._drawn_at = -float("inf")
        self._handle = None
        self._bar, self._time = IntProgress(0, 0, total, layout=Layout(width="300px")), HTML()
        self._progress = HBox([self._bar, self._time])
        self.image, self._caption = self._canvas.widget(), Caption()

    def _frame(self, parts: list, access: Access) -> None:
        """Put the parts into one box."""
        access.announce = False  # a screen reader cannot follow five sentences a second
        self._access, self.box = access, course_box(parts, access)

    def _open(self) -> None:
        """Show the run in the cell's output."""
        if InteractiveShell.initialized():
            self._handle = display(self, display_id=True)

    def _keep(self, record: Any) -> None:
        """Put a record into the history."""
        if not isinstance(getattr(record, "step", None), int):
            raise TypeError(f"records must each have a whole number as step, got {record!r}")
        self.history.append(record)
        self.pace.note(record.step)

    def _draw_when_due(self) -> None:
        if self._clock() - self._drawn_at >= self._every:
            self._draw()

    def _draw(self) -> None:
        """Bring picture, sentence and bar up to date."""
        self.image.value = self._canvas.png(self.history)
        self._write(self._say(self.history))
        if self.history:
            self._bar.value = self.history[-1].step
            self._time.value = f"<span>{html.escape(self.pace.describe())}</span>"
        self.draws += 1
        self._drawn_at = self._clock()

    def _close(self) -> None:
        """Draw the last picture and say how the run ended; in the saved file both stay."""
        self._access.announce = True
        self._draw()
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
        if self._handle is not None:
            self._save()

    def _save(self) -> None:
        """Let the last picture replace the first in the saved file, with its sentence."""
        self._handle.update(self)
        display(StillSentence(self.sentence))

    def _write(self, sentence: str) -> None:
        self.sentence = sentence
        self._caption.write(sentence)

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.box, self.image, self.sentence, self._canvas.width)
