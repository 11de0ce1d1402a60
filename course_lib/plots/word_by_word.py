"""A story word by word: the surprise at each, and what was expected at one of them."""

from textwrap import fill

import numpy as np
from matplotlib.patches import Patch

from course_lib.plots.style import GREY, V

HIGHEST = 6.0  # nats; a fresh model is surprised by ln 169 = 5.1 at every word
_LONGEST = 88  # words of the longest story
_ROWS = 8


def draw(fig, data):
    """Draw the surprises on top, the text so far and the expected words below."""
    grid = fig.add_gridspec(2, 2, height_ratios=[1, 1.15], width_ratios=[1.1, 1])
    costs, text, bars = (fig.add_subplot(where) for where in (grid[0, :], grid[1, 0], grid[1, 1]))
    update_costs, update_bars = _costs(costs, data), _bars(bars, data)
    text.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
    text.spines[:].set_visible(False)
    written = text.text(0, 1, "", va="top", fontsize=10.5, linespacing=1.4)

    def update(data):
        written.set_text(_read_so_far(data))
        return [written, *update_costs(data), *update_bars(data)]

    update(data)
    return update


def _costs(axes, data):
    """One bar a word: the grammar's own surprise, and beside it the model's."""
    axes.set(xlim=(0.2, _LONGEST + 1), ylim=(0, HIGHEST), xlabel="word of the story",
             ylabel="surprise (nats)")  # fmt: skip
    (mark,) = axes.plot([], [], marker="v", color="black", markersize=8, clip_on=False, zorder=4)
    names = [Patch(color=GREY, label="one who knows the grammar")]
    if data.model is not None:
        names.append(Patch(color=V, label="the model"))
    axes.legend(handles=names, loc="upper right", ncols=2, bbox_to_anchor=(1, 1.22))
    places = 1 + np.arange(_LONGEST)  # the first word is word 1, as in the sentence
    wide = axes.bar(places, np.zeros(_LONGEST), color=V, width=0.8)
    narrow = axes.bar(places, np.zeros(_LONGEST), color=GREY, width=0.45)

    def update(data):
        for bars, heights in ((wide, data.model or ()), (narrow, data.floor)):
            padded = [*heights, *[0.0] * (_LONGEST - len(heights))]
            for bar, height in zip(bars, padded, strict=True):
                bar.set_height(min(height, HIGHEST))
        mark.set_data([data.at + 1], [0.93 * HIGHEST])  # below the legend
        return [*wide, *narrow, mark]

    return update


def _bars(axes, data):
    """The likeliest words with their probabilities."""
    rows = np.arange(_ROWS)[::-1]
    both = data.model is not None
    axes.set(xlim=(0, 1.5), ylim=(-0.6, _ROWS - 0.4), yticks=[], xlabel="probability")
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title("the next word: grammar | model" if both else "the next word")
    wide = axes.barh(rows, np.zeros(_ROWS), color=V, height=0.8)
    narrow = axes.barh(rows, np.zeros(_ROWS), color=GREY, height=0.4 if both else 0.7)
    names = [axes.text(0, row, "", va="center_baseline", fontsize=10) for row in rows]
    unseen = axes.text(1.48, -0.5, "", ha="right", fontsize=10, color=GREY)

    def update(data):
        choices = [*data.choices, *[("", 0.0, None)] * (_ROWS - len(data.choices))]
        for guess, exact, name, (word, p, q) in zip(wide, narrow, names, choices, strict=True):
            guess.set_width(q or 0.0)
            exact.set_width(p)
            name.set_x(max(p, q or 0.0) + 0.02)
            name.set_text(_labelled(word, p, q))
            name.set_fontweight("bold" if word == data.words[data.at] else "normal")
        named = [word for word, p, q in data.choices if p > 0 and _labelled(word, p, q)]
        more = data.n_possible - len(named)
        unseen.set_text(f"and {more} more" if more else "")
        return [*wide, *narrow, *names, unseen]

    return update


def _labelled(word: str, exact: float, guess: float | None) -> str:
    """A word with its percentages; nothing where all of them round to 0."""
    if max(exact, guess or 0.0) < 0.005:
        return ""
    return f"{word}  {exact:.0%}" if guess is None else f"{word}  {exact:.0%} | {guess:.0%}"


def _read_so_far(data) -> str:
    """The words that were read, and a gap."""
    read = fill(" ".join([*data.words[: data.at], "____"]), 56)
    lines = read.split("\n")
    return "\n".join(["... " + lines[-8], *lines[-7:]] if len(lines) > 8 else lines)


def say(data) -> str:
    """Say what came, how surprising it was, and how many words might have."""
    word, cost = data.words[data.at], abs(data.floor[data.at])  # no minus before a 0
    text = (
        f"Word {data.at + 1} of {len(data.words)}: the grammar allows {data.n_possible}, "
        f'and "{word}" comes: {cost:.2f} nats'
    )
    if data.model is not None:
        text += f", for the model {data.model[data.at]:.2f}"
    return text + "."
