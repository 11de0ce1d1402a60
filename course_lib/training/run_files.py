"""The files of a run that is under way: its last checkpoint, and its growing log."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course_lib.training.container import read_container
from course_lib.training.growing_log import GrowingLog, read_growing_log
from course_lib.training.recipes import Run


class RunFiles:
    """Where a run keeps what it needs to be resumed.

    Attributes:
        checkpoint: weights, the optimiser's memory, the step and the settings; gone when the
            run is complete.
        growing: a line for each update (``training.growing_log``); stays.
    """

    def __init__(self, folder: Path, name: str):
        self.checkpoint = Path(folder) / f"{name}.checkpoint"
        self.growing = Path(folder) / f"{name}.steps.jsonl"
        self._log: GrowingLog | None = None

    def step(self) -> int | None:
        """The step of the checkpoint; None if there is none.

        Raises:
            ValueError: if its file is not a whole checkpoint.
        """
        if not self.checkpoint.is_file():
            return None
        with self._named():
            return read_container(self.checkpoint)[1]["step"]

    def begin(self, run: Run, command: str) -> None:
        """Open the log of a new run, or of one that goes on."""
        self._log = GrowingLog(self.growing, run.header(command), run.records)

    def resume(self, run: Run) -> None:
        """Bring a run to where its checkpoint is, with the records of the updates until there.

        Raises:
            ValueError: if there is no checkpoint, or it is damaged or of another run.
        """
        if not self.checkpoint.is_file():
            raise ValueError(f"There is nothing to resume: no {self.checkpoint.name} in "
                             f"{self.checkpoint.parent}. Call this without --resume.")  # fmt: skip
        with self._named():
            run.resume(self.checkpoint)
        try:
            _, records = read_growing_log(self.growing)
        except (OSError, ValueError):  # the updates are in the weights; only their curve is lost
            records = []
        run.records = [record for record in records if record.step <= run.state.step]

    def save(self, run: Run) -> OSError | None:
        """Write a checkpoint, the log first, so that it never lacks what the checkpoint has.

        Returns:
            What went wrong, such as a full disk; the checkpoint before this one is then still
            there and whole, and the run can go on.
        """
        self._log.secure(run.records)
        try:
            run.save(self.checkpoint)
        except OSError as error:
            return error
        return self._log.failure

    def add(self, run: Run) -> None:
        """Write down the last update."""
        self._log.add(run.records[-1])

    def close(self) -> None:
        """Let go of the log."""
        self._log.close()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say which file an error is about, and what to do if it is beyond help."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{self.checkpoint.name}: {error} (--restart begins anew.)") from error


class SeenFiles(RunFiles):
    """The same files for a process that is not the first: it reads them, and writes none."""

    def begin(self, run: Run, command: str) -> None:
        """The first process opens the log."""

    def save(self, run: Run) -> None:
        """The first process saves."""

    def add(self, run: Run) -> None:
        """The first process writes it down."""

    def close(self) -> None:
        """There is nothing to let go of."""
