"""All real texts behind one function, and a table of them that loads nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from course_lib.data.corpora import bible, python_source, shakespeare, wikipedia
from course_lib.data.corpora.own_file import text_file
from course_lib.data.corpora.two_parts import About, Corpus


class Text(NamedTuple):
    """What there is to say about a text, and the function that loads it."""

    about: About
    load: Callable[[], Corpus]


TEXTS = {
    "python": Text(python_source.ABOUT, python_source.python_text),
    "wikipedia": Text(wikipedia.ABOUT, wikipedia.wikipedia_text),
    "web-bible": Text(bible.ABOUT, bible.web_bible),
    "tiny-shakespeare": Text(shakespeare.ABOUT, shakespeare.tiny_shakespeare),
}


def corpus(text: str | Path, max_bytes: int | None = None, also: Sequence[str] = ()) -> Corpus:
    """Return a real text in two parts, one of them held out.

    Args:
        text: a name in ``TEXTS``, or the path of a file of your own in UTF-8.
        max_bytes: nine tenths of it for training, one tenth held out; left out, all of the
            text (1,000,000 for "python").
        also: other names that the caller takes, for the message.

    Raises:
        ModuleNotFoundError: if the text's package is not installed; the message says how to.
        ConnectionError: if the text has to be loaded and there is no network.
        FileNotFoundError, ValueError: if it is neither a name nor a file, or not the text that
            it should be.
    """
    if not isinstance(text, str | Path):
        raise TypeError(f"text must be a name or a path, got {type(text).__name__}")
    if text == "python":
        return python_source.python_text(1_000_000 if max_bytes is None else max_bytes)
    if text in TEXTS:
        found = TEXTS[text].load()
        return found if max_bytes is None else found.at_most(max_bytes)
    if isinstance(text, str) and not Path(text).expanduser().is_file():
        raise ValueError(
            f"text must be one of {', '.join([*also, *TEXTS])}, or the path of a file; "
            f"there is no file {text!r}"
        )
    return text_file(text, max_bytes)


def table() -> str:
    """Return all texts in a table for reading; none of them is loaded for it."""
    head = ("name", "text", "bytes", "licence", "comes")
    rows = [
        (key, about.name, f"{about.n_bytes:,}" if about.n_bytes else "as asked", about.licence,
         about.comes)
        for key, (about, _) in TEXTS.items()
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    )
