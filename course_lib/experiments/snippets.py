"""Snippets: five lines of text each, and whether Python would accept them as a program."""

import ast
import textwrap
import warnings

import torch
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.data.byte_ids import byte_ids, text_of
from course_lib.training.objectives import device_of, looking

N_LINES = 5


def is_program(snippet: str) -> bool:
    """Tell whether ``ast.parse`` accepts a snippet that holds a statement, not only comments.

    Common indentation is removed first: a window into a function starts indented.
    """
    try:
        with warnings.catch_warnings():  # invented escape sequences would warn
            warnings.simplefilter("ignore")
            return bool(ast.parse(textwrap.dedent(snippet)).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def share_of_programs(snippets: list[str]) -> float:
    """Return the share of snippets that :func:`is_program` accepts."""
    if isinstance(snippets, str):
        raise TypeError(f"snippets must be a list of texts, got one text: {snippets[:40]!r}")
    if not snippets:
        raise ValueError("snippets must not be empty, got none")
    return sum(map(is_program, snippets)) / len(snippets)


def windows_of(text: bytes, n: int, generator: torch.Generator) -> list[str]:
    """Take five whole lines at random places of a text, ``n`` times."""
    _require_bytes(text)
    require_whole(1, n=n)
    lines = text.decode("utf8", errors="replace").splitlines()
    if len(lines) < N_LINES:
        raise ValueError(f"text must hold at least {N_LINES} lines, got {len(lines)}")
    starts = torch.randint(len(lines) - N_LINES + 1, (n,), generator=generator).tolist()
    return ["\n".join(lines[start : start + N_LINES]) + "\n" for start in starts]


def drawn_by_frequency(text: bytes, n: int, generator: torch.Generator) -> list[str]:
    """Make ``n`` snippets of bytes that are as frequent as in a text, in no order at all."""
    _require_bytes(text)
    require_whole(1, n=n)
    if b"\n" not in text:
        raise ValueError("text must hold a line end, or no line would ever be complete; got none")
    ids = byte_ids(text)
    drawn = b""
    while drawn.count(b"\n") < n * N_LINES:
        picks = torch.randint(len(ids), (max(1000, 200 * n),), generator=generator)
        drawn += bytes(ids[picks].tolist())
    lines = drawn.decode("utf8", errors="replace").split("\n")
    return ["\n".join(lines[i : i + N_LINES]) + "\n" for i in range(0, n * N_LINES, N_LINES)]


def written_by(
    model: nn.Module,
    n: int,
    generator: torch.Generator,
    *,
    prompt: str = "\n",
    temperature: float = 0.8,
    max_bytes: int = 320,
) -> list[str]:
    """Let a model over bytes write ``n`` snippets, all at once.

    Each starts behind the prompt, at the start of a line, and ends with its fifth line end, or
    at ``max_bytes`` if that comes first (such a snippet is judged as far as it goes).
    """
    require_whole(1, n=n, max_bytes=max_bytes)
    start = byte_ids(prompt).long().to(device_of(model))
    ids = start.expand(n, -1)
    with looking(model):
        while ids.shape[1] < len(start) + max_bytes and not _all_complete(ids[:, len(start) :]):
            step = min(16, len(start) + max_bytes - ids.shape[1])
            ids = model.generate(ids, step, temperature=temperature, generator=generator)
    return [_first_lines(text_of(row)) for row in ids[:, len(start) :]]


def _require_bytes(text: object) -> None:
    """Raise unless the text is bytes."""
    if not isinstance(text, bytes):
        raise TypeError(f"text must be bytes, as a corpus holds them, got {type(text).__name__}")


def _all_complete(ids: Tensor) -> bool:
    """Tell whether every text has its five line ends."""
    return bool(((ids == ord("\n")).sum(dim=1) >= N_LINES).all())


def _first_lines(text: str) -> str:
    """Keep a text up to its fifth line end."""
    return "".join(line + "\n" for line in text.split("\n", N_LINES)[:N_LINES])
