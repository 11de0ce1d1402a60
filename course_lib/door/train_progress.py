"""How far a training is: a bar where there is a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SILENCE = 30.0  # seconds after which a line is due, also between two looks


@contextmanager
def progress(run) -> Iterator["Lines"]:
    """Show how far a run is, from where it stands to its end."""
    if not (sys.stderr.isatty() and run.processes.first):
        yield Lines(run)
        return
    from tqdm import tqdm

    with tqdm(total=run.state.config.total_steps, initial=run.state.step, unit="step",
              desc=run.recipe.name, dynamic_ncols=True) as bar:  # fmt: skip
        yield Bar(run, bar)


class Lines:
    """A line for each look at the held-out text, and after a long silence."""

    def __init__(self, run):
        self._floors = run.material.floors
        self._seconds = sum(record.seconds for record in run.records)
        self._last, self._failure = time.monotonic(), None

    def record(self, record) -> None:
        """Say what happened in an update, if it is worth a line."""
        self._seconds += record.seconds
        if record.measured or time.monotonic() - self._last >= _SILENCE:
            self._last = time.monotonic()
            self.say(self._line(record))

    def failure(self, error: OSError | None) -> None:
        """Say once that a checkpoint could not be written, and that the run goes on."""
        if error is not None and str(error) != str(self._failure):
            self.say(f"This checkpoint or log could not be written: {error}. The one before is "
                     "still there; training goes on and tries again.")  # fmt: skip
        self._failure = error

    def say(self, line: str) -> None:
        """Write a line at once."""
        print(line, flush=True)

    def _line(self, record) -> str:
        """One update: the step, the losses, the floors, the seconds of computing so far."""
        figures = [f"train {record.train_loss:.4f}"]
        for name, value in record.measured.items():
            shown = "held-out loss" if name == "loss" else name
            floor = f" (floor {self._floors[name]:.4f})" if name in self._floors else ""
            figures.append(f"{shown} {value:.4f}{floor}")
        return (f"step {record.step:5} of {record.total_steps}  {'  '.join(figures)}  "
                f"{self._seconds:5.0f} s")  # fmt: skip


class Bar(Lines):
    """The same lines, with a bar below them."""

    def __init__(self, run, bar):
        super().__init__(run)
        self._bar = bar

    def record(self, record) -> None:
        """Move the bar."""
        self._bar.set_postfix_str(f"train {record.train_loss:.3f}", refresh=False)
        self._bar.update()
        super().record(record)

    def say(self, line: str) -> None:
        """Write a line above the bar."""
        self._bar.write(line)
