"""Byte-pair encoding to step through: merges on the reader's own text, forwards and back."""

import functools
from pathlib import Path

import anywidget
import traitlets

from course_lib.config import require_whole
from course_lib.plots.bpe_stepper import MergeMade, Stepped, draw, say
from course_lib.plots.show import show
from course_lib.tokenizers.bpe.counted import count_weighted_pairs
from course_lib.tokenizers.bpe.encode import LONG, encode_long_word, encode_word
from course_lib.tokenizers.bpe.training import word_counts
from course_lib.tokenizers.bpe.updated import train_updated
from course_lib.tokenizers.pretokenize import GPT2_PATTERN, well_formed
from course_lib.widgets.still import WithSentence

_HERE = Path(__file__).parent
MOST_CHARACTERS = 20_000
TEXT = " ".join(5 * ["low"] + 2 * ["lower"] + 6 * ["newest"] + 3 * ["widest"])
# A word keeps the white space before it; GPT-2's pattern; no cut at all.
PATTERNS = {"spaces": r"\s*\S+|\s+", "gpt2": GPT2_PATTERN, "none": None}
_BYTES = [bytes([byte]) for byte in range(256)]


class BPEStepper(WithSentence, anywidget.AnyWidget):
    """The widget; all stepping happens in the browser, Python follows.

    Attributes:
        text: What is merged; the reader may write another one.
        n_merges: How many merges are made; when there are fewer, the browser sets their number.
        pattern: Where the text is cut into words.
    """

    _esm = "\n".join(
        (_HERE / name).read_text(encoding="utf8") for name in ("bpe_merges.js", "bpe_stepper.js")
    )
    _css = (_HERE / "bpe_stepper.css").read_text(encoding="utf8")
    text = traitlets.Unicode().tag(sync=True)
    n_merges = traitlets.Int(0).tag(sync=True)
    pattern = traitlets.Unicode("spaces", read_only=True).tag(sync=True)
    start = traitlets.Dict().tag(sync=True)

    def __init__(self, text: str, n_merges: int, pattern: str):
        self.set_trait("pattern", pattern)
        start = {"text": text, "n_merges": n_merges}
        super().__init__(start=start, **start)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        text = well_formed(proposal["value"])
        if len(text) > MOST_CHARACTERS:
            raise ValueError(
                f"text must have at most {MOST_CHARACTERS:,} characters, got {len(text):,}"
            )
        return text

    @traitlets.validate("n_merges")
    def _check_n_merges(self, proposal: dict) -> int:
        require_whole(0, n_merges=proposal["value"])
        return proposal["value"]

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """The pairs of tokens joined so far, in their order."""
        tokens, pairs = _learn(self.text, self.pattern, self.n_merges)
        return [(tokens[left], tokens[right]) for left, right in pairs]

    @property
    def data(self) -> Stepped:
        """Everything that `plots.bpe_stepper` draws."""
        tokens, merges = _learn(self.text, self.pattern, self.n_merges)
        occurrences = list(_words(self.text, self.pattern).values())
        words = _encoded(self.text, self.pattern, merges)
        pairs = _ordered(count_weighted_pairs(words, occurrences), tokens)
        last = None
        if merges:
            before = _encoded(self.text, self.pattern, merges[:-1])
            counts = count_weighted_pairs(before, occurrences)
            left, right = merges[-1]
            count = counts[merges[-1]]
            ties = sum(other == count for other in counts.values())
            last = MergeMade(tokens[left], tokens[right], count, ties)
        return Stepped(
            words=[[tokens[i] for i in word] for word in words], times=occurrences,
            pairs=pairs, made=tokens[256:], last=last,
        )

    def __repr__(self) -> str:
        return say(self.data)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a still picture for places where it cannot run."""
        live = super()._repr_mimebundle_(**kwargs) or ({}, {})
        still, metadata = show(draw, self.data, say, size=(9, 3.2))._repr_mimebundle_()
        return {**live[0], **still}, metadata


@functools.lru_cache(maxsize=8)
def _words(text: str, pattern: str) -> dict[tuple[int, ...], int]:
    """Count the words, as the ids of their bytes."""
    return word_counts([text], PATTERNS[pattern])


@functools.lru_cache(maxsize=8)
def _learn(text: str, pattern: str, n_merges: int) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Learn merges with the library's default tie rule; the bytes of all ids, and the merges."""
    merges = train_updated(_words(text, pattern), _BYTES, n_merges, "greatest bytes")
    tokens = list(_BYTES)
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens, merges


def _encoded(text: str, pattern: str, merges: list[tuple[int, int]]) -> list[list[int]]:
    """Each distinct word after these merges."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    new_ids = list(range(256, 256 + len(merges)))
    words = [list(word) for word in _words(text, pattern)]
    return [(encode_word if len(w) < LONG else encode_long_word)(w, ranks, new_ids) for w in words]


def _ordered(counts: dict, tokens: list[bytes]) -> list[tuple[bytes, bytes, int]]:
    """Pairs in the order in which they would be merged: most frequent, then greatest bytes."""
    pairs = [(count, tokens[left], tokens[right]) for (left, right), count in counts.items()]
    return [(left, right, count) for count, left, right in sorted(pairs, reverse=True)]


def bpe_stepper(text: str = TEXT, n_merges: int = 0, pattern: str = "spaces") -> BPEStepper:
    """Let a reader make the merges of byte-pair encoding one by one, on any text.

    Args:
        text: What is there at first, at most 20,000 characters.
        n_merges: How many merges are made at first; all there are when there are fewer.
        pattern: ``spaces`` cuts before white space, ``gpt2`` as GPT-2 does, ``none`` nowhere.

    Example:
        >>> bpe_stepper("aaab aab", n_merges=1).merges
        [(b'a', b'a')]
    """
    if pattern not in list(PATTERNS):  # as a list: a pattern without a hash, too
        raise ValueError(f"pattern must be one of {', '.join(PATTERNS)}; got {pattern!r}")
    require_whole(0, n_merges=n_merges)
    if not isinstance(text, str):
        raise TypeError(f"text must be str, got {type(text).__name__}")
    return BPEStepper(text, n_merges, pattern)
