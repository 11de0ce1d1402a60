"""A text in two parts, and the rules that keep what is held out apart from what is learnt."""

import hashlib
from dataclasses import dataclass, replace

from course_lib.config import require_whole

LONG_LINE = 20  # characters; shorter lines ("return None") occur everywhere


@dataclass(frozen=True)
class About:
    """What there is to say about a text before it is loaded.

    ``n_bytes`` counts both parts; None where it depends on the Python or the file.
    ``attribution`` is the line to print beside a quotation.
    """

    name: str
    author: str
    licence: str
    source: str
    attribution: str
    comes: str
    n_bytes: int | None = None

    def corpus(self, train: bytes, validation: bytes) -> "Corpus":
        """Make a corpus of the two parts, with its origin written on it."""
        return Corpus(self.name, self.licence, self.source, train, validation, self.attribution)


@dataclass(frozen=True, repr=False)
class Corpus:
    """A text in two parts: one to learn from, one that is only ever measured on."""

    name: str
    licence: str
    source: str
    train: bytes
    validation: bytes
    attribution: str = ""

    def __post_init__(self):
        for part in ("train", "validation"):
            if not isinstance(getattr(self, part), bytes):
                raise TypeError(f"{part} must be bytes, got {type(getattr(self, part)).__name__}")
            if not getattr(self, part):
                raise ValueError(f"{part} must not be empty: {self.name} gave no text for it")

    def __repr__(self) -> str:  # the whole text would be a megabyte on the page
        sizes = f"{len(self.train):,} bytes to train on, {len(self.validation):,} held out"
        return f"Corpus({self.name!r}: {sizes}; {self.licence})"

    def at_most(self, max_bytes: int) -> "Corpus":
        """Keep the beginning of both parts: nine tenths for training, one tenth held out.

        Raises:
            ValueError: if ``max_bytes`` is below 1000.
        """
        require_room(max_bytes)
        n_validation = max_bytes // 10
        train = shorten(self.train, max_bytes - n_validation)
        return replace(self, train=train, validation=shorten(self.validation, n_validation))

    def repeated(self) -> float:
        """Return the share of the held-out text's long lines that training has seen too."""
        return repeated_share(self.validation, long_lines(self.train))


def require_room(max_bytes: int) -> None:
    """Refuse a budget that is too small for two parts."""
    require_whole(1000, max_bytes=max_bytes)


def digest(name: str) -> bytes:
    """Hash a name; unlike the order of a folder or ``hash()``, the same everywhere."""
    return hashlib.sha256(name.encode("utf8")).digest()


def is_held_out(name: str) -> bool:
    """Decide by its name alone whether a piece is for validation: about one in ten."""
    return digest(name)[-1] < 26  # of 256


def cut_at_line(raw: bytes, limit: int) -> bytes:
    """Keep whole lines up to the limit, each with its line feed."""
    raw = raw if raw.endswith(b"\n") else raw + b"\n"
    return raw if len(raw) <= limit else raw[: raw.rfind(b"\n", 0, max(limit, 0)) + 1]


def shorten(raw: bytes, limit: int) -> bytes:
    """Keep whole lines up to the limit, or whole characters where the first line is longer."""
    if len(raw) <= limit:
        return raw
    return cut_at_line(raw, limit) or raw[:limit].decode("utf8", "ignore").encode("utf8")


def long_lines(text: bytes) -> set[bytes]:
    """Collect the lines that are long enough to be telling."""
    stripped = (line.strip() for line in text.splitlines())
    return {line for line in stripped if len(line) >= LONG_LINE}


def repeated_share(text: bytes, known: set[bytes]) -> float:
    """Return the share of a text's long lines that are among the known ones."""
    lines = long_lines(text)
    return len(lines & known) / len(lines) if lines else 0.0
