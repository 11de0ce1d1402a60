"""Words in the pieces that byte-pair merges have made, and the pairs that come next."""

from typing import NamedTuple

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.plots import style
from course_lib.plots.tokens_shown import shown

MOST_PAIRS, _ROWS, _WIDTH = 8, 9, 62  # the width in letters
_COLOURS = (style.Q, style.VALIDATION, style.V, style.ACCENT, "#56B4E9", style.K)
_FONT = "DejaVu Sans Mono"


class MergeMade(NamedTuple):
    """Two tokens that were joined, how often they stood side by side, and equally frequent pairs.

    ``ties`` counts the pair itself too.
    """

    left: bytes
    right: bytes
    count: int
    ties: int


class Stepped(NamedTuple):
    """What the picture needs.

    ``words`` holds the tokens of every distinct word, ``times`` how often it occurs; ``pairs``
    are in the order in which they would be merged, each with its count; ``made`` holds the
    tokens that merges made, and ``last`` is the newest of the merges, or None.
    """

    words: list[list[bytes]]
    times: list[int]
    pairs: list[tuple[bytes, bytes, int]]
    made: list[bytes]
    last: MergeMade | None


def draw(fig: Figure, data: Stepped):
    """Two panels: the words as boxes, the most frequent pairs as bars."""
    words, pairs = fig.subplots(1, 2, width_ratios=[3, 1.2])

    def update(data: Stepped) -> None:
        words.clear()
        pairs.clear()
        _draw_words(words, data)
        _draw_pairs(pairs, data)

    update(data)
    return update


def say(data: Stepped) -> str:
    """What the last merge did, and how many tokens and entries there are now."""
    n_words = sum(data.times)
    if not n_words:
        return "There is no text: type some, or paste it."
    n_tokens = sum(len(word) * n for word, n in zip(data.words, data.times, strict=True))
    n_entries = 256 + len(data.made)
    size = f"{_ratio(n_tokens, n_words)} a word; the vocabulary has {n_entries:,} entries"
    words = _counted(n_words, "word", "words")
    end = "" if data.pairs else " No pair is left: every word is one token."
    if data.last is None:
        n_bytes = _counted(n_tokens, "byte", "bytes")
        return f"No merge yet: {n_bytes} in {words}, {size}, one for each byte.{end}"
    left, right, count, ties = data.last
    tie = ""
    if ties > 1:
        others = _counted(ties - 1, "other pair", "other pairs")
        tie = f", as often as {others}; of these it has the greatest bytes"
    return (
        f"Merge {len(data.made):,} joined “{shown(left)}” and “{shown(right)}” into "
        f"“{shown(left + right)}”: the pair was there {_times(count)}{tie}. Now "
        f"{_counted(n_tokens, 'token', 'tokens')} in {words}, {size}.{end}"
    )


def _draw_words(axes: Axes, data: Stepped) -> None:
    axes.set(xlim=(0, _WIDTH), ylim=(_ROWS, 0))
    axes.set_title("words, each distinct one once; dashed: joined next")
    axes.set_axis_off()
    pair = data.pairs[0][:2] if data.pairs else None
    x, y, drawn = 0.0, 0, 0
    for word, times in zip(data.words, data.times, strict=True):
        text = _fitting([_written(token) for token in word[:_WIDTH]])
        end = f" ×{times:,}" if times > 1 else ""
        if hidden := len(word) - len(text):
            end = f" … and {_counted(hidden, 'more box', 'more boxes')}{end}"
        width = sum(map(_box_width, text)) + len(end) + 1.5
        if x and x + width > _WIDTH:
            x, y = 0.0, y + 1
        if y >= _ROWS - 1:
            break
        seen = word[: len(text)]
        starts = _draw_boxes(axes, x, y, seen, text, data)
        _mark_next(axes, starts, y, seen, pair)
        axes.text(starts[-1], y + 0.45, end, va="center", family=_FONT, fontsize=10)
        x, drawn = x + width, drawn + 1
    if rest := len(data.words) - drawn:
        words = _counted(rest, "more distinct word", "more distinct words")
        axes.text(0, y + 0.5 + (x > 0 and y < _ROWS - 1), f"and {words}", va="center", fontsize=10)


def _fitting(text: list[str]) -> list[str]:
    """As many boxes as fit in a row with the words behind them."""
    room, fits = _WIDTH - (22 if sum(map(_box_width, text)) > _WIDTH - 10 else 10), []
    while len(fits) < len(text) and sum(map(_box_width, text[: len(fits) + 1])) <= room:
        fits.append(text[len(fits)])
    return fits


def _draw_boxes(axes: Axes, x: float, y: int, word: list[bytes], text: list[str], data: Stepped):
    """Draw a word's tokens side by side and return where each begins, and where the last ends."""
    starts = [x]
    newest = data.last.left + data.last.right if data.last else None
    for token, written in zip(word, text, strict=True):
        width = _box_width(written)
        made = len(token) > 1
        colour = _COLOURS[data.made.index(token) % len(_COLOURS)] if made else style.GREY
        new = token == newest
        box = {"facecolor": (colour, 0.3 if made else 0.0),
               "edgecolor": style.TRAIN if new else style.GREY, "linewidth": 1.8 if new else 0.7}
        axes.add_patch(Rectangle((starts[-1], y + 0.08), width, 0.72, **box))
        centre = starts[-1] + width / 2
        axes.text(centre, y + 0.45, written, ha="center", va="center", family=_FONT, fontsize=10)
        starts.append(starts[-1] + width)
    return starts


def _mark_next(axes: Axes, starts: list[float], y: int, word: list[bytes], pair) -> None:
    """A dashed line below every place where the next merge will be made."""
    i = 0
    while i + 1 < len(word):
        if (word[i], word[i + 1]) == pair:
            ends = [starts[i] + 0.1, starts[i + 2] - 0.1]
            axes.plot(ends, [y + 0.88] * 2, "--", dashes=(2, 1), color=style.K, linewidth=2.5)
            i += 1
        i += 1


def _draw_pairs(axes: Axes, data: Stepped) -> None:
    first = data.pairs[:MOST_PAIRS]
    axes.set_title("most frequent pairs")
    axes.spines[:].set_visible(False)
    axes.set_xticks([])
    axes.tick_params(length=0)
    if not first:
        axes.set_yticks([])
        axes.text(0, 0.5, "no pair is left", transform=axes.transAxes, va="center")
        return
    greatest = first[0][2]
    ties = sum(count == greatest for *_, count in data.pairs)
    names = [f"{_written(left)} + {_written(right)}" for left, right, _ in first]
    axes.set(xlim=(0, 2.1 * greatest), ylim=(MOST_PAIRS - 0.4, -0.6))
    axes.set_yticks(range(len(first)), names, family=_FONT)
    for i, (*_, count) in enumerate(first):
        axes.barh(i, count, height=0.6, color=style.K if i == 0 else style.FAINT)
        words = ["tie"] * (count == greatest and ties > 1) + ["next"] * (i == 0)
        label = f" {count:,} {', '.join(words)}"
        axes.text(count, i, label, va="center", fontsize=10)


def _written(token: bytes) -> str:
    return shown(token, _has_glyph)


def _has_glyph(character: str) -> bool:
    font = font_manager.get_font(font_manager.findfont(_FONT))
    return font.get_char_index(ord(character)) != 0


def _box_width(text: str) -> float:
    return len(text) + 0.8


def _ratio(a: int, b: int) -> str:
    """Two digits, halves up: in whole numbers, so that JavaScript rounds the same way."""
    hundredths = (200 * a + b) // (2 * b)
    return f"{hundredths // 100:,}.{hundredths % 100:02d}"


def _counted(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n:,} times")
