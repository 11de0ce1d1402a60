"""How far a run is, how long it will take, and how many steps would fit into less time."""

import time
from collections.abc import Callable

WARM = 10  # records after which the speed is known well enough


class Pace:
    """The speed of a run, from the times at which its records came.

    The first record is not counted: it pays for starting up.

    Args:
        total: The last step of the run.
        limit_seconds: From which duration on a shorter run is offered.
        clock: Seconds; tests give a false one.
    """

    def __init__(
        self, total: int, limit_seconds: float, clock: Callable[[], float] = time.perf_counter
    ):
        self.total, self.limit_seconds, self._clock = total, limit_seconds, clock
        self._start = self._now = clock()
        self._first: tuple[int, float] | None = None
        self._records = 0
        self.notice = ""
        self.step = 0

    def note(self, step: int) -> None:
        """A record of this step has come."""
        self._now, self.step = self._clock(), step
        self._records += 1
        if self._first is None:
            self._first = (step, self._now)
        if self._records == WARM and self.seconds_per_step is not None:
            self.notice = self._make_notice()

    @property
    def seconds_per_step(self) -> float | None:
        """None as long as nothing was measured."""
        if self._first is None or self.step == self._first[0]:
            return None
        return (self._now - self._first[1]) / (self.step - self._first[0])

    @property
    def seconds(self) -> float:
        """Since the run was started."""
        return self._now - self._start

    def describe(self) -> str:
        """Step, time gone and time to go."""
        text = f"step {self.step} of {self.total}, {in_words(self.seconds)}"
        if self._records >= WARM and self.step < self.total and self.seconds_per_step is not None:
            left = self.seconds_per_step * (self.total - self.step)
            text += f", about {in_words(left)} to go"
        return text

    def summary(self) -> str:
        """What stands there when the run has ended."""
        return f"{self._records} steps took {in_words(self.seconds)}."

    def _make_notice(self) -> str:
        """What stands under the bar from the tenth record on."""
        begin = self._first[0] - 1
        whole = self.seconds_per_step * (self.total - begin)
        text = f"All {self.total - begin} steps will take about {in_words(whole)} on this machine."
        if whole > self.limit_seconds:
            fit = begin + int(self.limit_seconds / self.seconds_per_step)
            text += (
                f" In {in_words(self.limit_seconds)} it would get to step {fit}: press the square"
                f" in the toolbar (or I twice) to stop, make {fit} the last step, and run again."
            )
        return text


def in_words(seconds: float) -> str:
    """A duration as a reader would say it."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
