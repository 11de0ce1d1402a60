"""The next word: probabilities before and after a cut as bars, and some ways to go on."""

from textwrap import fill

import numpy as np

from course_lib.plots.style import FAINT, GREY, Q

_GAP = 0.015


def draw(fig, data):
    """Draw the bars on the left and the continuations on the right."""
    axes, texts = fig.subplots(1, 2, width_ratios=[1, 1.15])
    rows = np.arange(len(data.words))[::-1]
    outer = axes.barh(rows, np.zeros(len(rows)), color=FAINT, height=0.8)
    inner = axes.barh(rows, np.zeros(len(rows)), color=Q, height=0.45)
    names = [axes.text(_GAP, row, "", va="center_baseline", fontsize=10) for row in rows]
    axes.set(xlim=(0, 1.3), xlabel="probability of the next word", yticks=[])
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title("grey: before the cut, blue: after")
    texts.set(xticks=[], yticks=[])
    texts.spines[:].set_visible(False)
    words = texts.text(
        0, 1, "", va="top", fontsize=10.5, linespacing=1.5, transform=texts.transAxes
    )

    def update(data):
        before, after = np.asarray(data.before), np.asarray(data.after)
        for wide, narrow, name, word, b, a in zip(
            outer, inner, names, data.words, before, after, strict=True
        ):
            wide.set_width(b)
            narrow.set_width(a)
            name.set_x(max(a, b) + _GAP)
            name.set_text(f"{word}  {a:.1%}" if a > 0 else word)
            name.set_color("black" if a > 0 else GREY)
        words.set_text(_written(data))
        return [*outer, *inner, *names, words]

    update(data)
    return update


def say(data) -> str:
    """Say how many words are left, and what they had before."""
    words = "word" if data.n_kept == 1 else "words"
    return (
        f"At temperature {data.temperature:g}, {data.cut}: {data.n_kept} {words} can be drawn, "
        f'with {data.kept:.1%} of the probability; "{data.words[0]}" gets '
        f"{float(np.asarray(data.after)[0]):.1%}."
    )


def _written(data) -> str:
    """The beginning and what was drawn, three times."""
    shown = [fill(f"{data.beginning} ...", 54)]
    shown += [fill(f"{i + 1}.  ... {text}", 54) for i, text in enumerate(data.continuations)]
    return "\n\n".join(shown)
