"""The log that grows with a run: a line of JSON for each update, readable while it is written.

The first line says what is trained and how.  A crash can at most cut the last line short, and
:func:`read_growing_log` leaves such a line out.
"""

import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from course_lib.training.loop import StepRecord
from course_lib.whole_file import replace_file


class GrowingLog:
    """A log open for adding lines.

    A full disk does not stop a training: what could not be written is remembered in ``failure``,
    and :meth:`secure` writes the whole log anew when there is room again.

    Args:
        path: replaced if it exists.
        header: anything that JSON can hold.
        records: of the updates made so far, when a run is resumed.
    """

    def __init__(
        self, path: Path, header: Mapping[str, Any], records: Iterable[StepRecord] = ()
    ):
        self.path, self.failure = path, None
        self._header, self._file = dict(header), None
        self._start(records)

    def add(self, record: StepRecord) -> None:
        """Write one line, so that a reader sees it at once."""
        if self.failure is None:
            try:
                self._open().write(_line(record))
                self._open().flush()
            except OSError as error:
                self.failure = error
                self.close()

    def secure(self, records: Iterable[StepRecord]) -> None:
        """Bring all lines to the disk itself, so that no power cut can lose them."""
        if self.failure is not None:
            self._start(records)
        if self.failure is None:
            try:
                os.fsync(self._open().fileno())
            except OSError as error:
                self.failure = error
                self.close()

    def close(self) -> None:
        """Let go of the file."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:  # what was still buffered did not fit either
                self.failure = error

    def _start(self, records: Iterable[StepRecord]) -> None:
        """Write the whole log, in one stroke."""
        self.close()
        text = json.dumps(self._header) + "\n" + "".join(map(_line, records))
        try:
            replace_file(self.path, text.encode("utf8"))
            self.failure = None
        except OSError as error:
            self.failure = error

    def _open(self) -> io.TextIOBase:
        """The file, open for adding; Windows replaces no file that is open."""
        if self._file is None:
            self._file = open(self.path, "a", encoding="utf8", newline="\n")  # noqa: SIM115
        return self._file


def read_growing_log(path: str | os.PathLike) -> tuple[dict, list[StepRecord]]:
    """Read a log, whole or still growing: what its first line says, and a record a line.

    Raises:
        ValueError: if it is no such log, or a line other than the last is damaged.
    """
    path = Path(path)
    lines = path.read_text(encoding="utf8").split("\n")[:-1]  # behind the last \n: nothing, or
    if not lines:  # a line cut short
        raise ValueError(f"{path.name} must begin with a line that says what is trained, got none")
    known = {field.name for field in fields(StepRecord)}
    try:
        header, *rest = (json.loads(line) for line in lines)
        records = [StepRecord(**{**_EMPTY, **{k: line[k] for k in line if k in known}})
                   for line in rest]  # fmt: skip
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path.name} must begin with what is trained, got {header!r}")
    return header, records


_EMPTY = {"validation_loss": None}  # what a line leaves out and a record must have


def _line(record: StepRecord) -> str:
    """One update as JSON, without the fields that hold nothing."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    kept = {name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items() if value is not None}  # fmt: skip
    return json.dumps(kept) + "\n"
