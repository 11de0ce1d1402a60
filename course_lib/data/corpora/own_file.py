"""A text of your own: any file in UTF-8."""

import codecs
from pathlib import Path

from course_lib.data.corpora.two_parts import Corpus, require_room

_WHOLE = 100_000_000  # bytes; a larger file would fill the memory of a small machine


def text_file(path: str | Path, max_bytes: int | None = None) -> Corpus:
    """Return a file as a corpus; its last tenth is held out, from the next line on.

    A mark of the byte order at the start is left out, and line ends become bare line feeds.
    What the file says twice may be in both parts; ``Corpus.repeated`` tells how much is.

    Args:
        path: any text in UTF-8.
        max_bytes: read no more than this; left out, all of it.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is not UTF-8, too short for two parts, or above 100 MB and
            ``max_bytes`` is left out.
    """
    path = Path(path).expanduser()
    if max_bytes is not None:
        require_room(max_bytes)
    if not path.is_file():
        raise FileNotFoundError(f"text must be the path of a file, got {str(path)!r}")
    size = path.stat().st_size
    if max_bytes is None and size > _WHOLE:
        raise ValueError(
            f"{path.name} has {size:,} bytes: above {_WHOLE:,} say how much of it to read, "
            "with max_bytes"
        )
    with open(path, "rb") as file:
        raw = file.read() if max_bytes is None else file.read(max_bytes)
    text = _decoded(raw, path.name, whole=len(raw) == size)
    cut = _last_tenth(text)
    return Corpus(
        name=path.name,
        licence="as its author says",
        source=f"the file {path.name}",
        train=text[:cut].encode("utf8"),
        validation=text[cut:].encode("utf8"),
    )


def _decoded(raw: bytes, name: str, whole: bool) -> str:
    """Decode UTF-8; a character that the reading cut in two is left out."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        text = decoder.decode(raw, final=whole)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} must be text in UTF-8, got the byte {error.object[error.start]:#04x} at "
            f"position {error.start:,}: save it as UTF-8 in your editor"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _last_tenth(text: str) -> int:
    """Choose where to cut: after the line end next to nine tenths, else in the line."""
    start = len(text) * 9 // 10
    cut = text.find("\n", start, len(text) - 1) + 1
    return cut or start
