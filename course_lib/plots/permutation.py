"""Permutation test: what attention gives to each word, before and after the words are shuffled."""

import numpy as np

from course_lib.plots.style import DIVERGING, GREY, K

MOST = 2.0  # the longest bar; longer ones end at the edge


def draw(fig, data):
    """Draw one ``Shuffled``: two tables of outputs with the same rows, and how far rows moved."""
    left, middle, right = fig.subplots(1, 3, width_ratios=(1, 1.05, 1))
    first = _table(left, data.before, f'"{" ".join(data.words)}"')
    second = _table(middle, data.after, "")
    left.set_yticks(range(len(data.words)), data.words)
    middle.set_yticks([])
    bar = fig.colorbar(second, ax=middle, ticks=[-2, 0, 2], fraction=0.06, pad=0.03)
    bar.outline.set_visible(False)
    bars, numbers = _changes(right, data)
    title = middle.set_title(_sentence(data))

    def update(data):
        first.set_data(np.asarray(data.before))
        second.set_data(np.asarray(data.after))
        title.set_text(_sentence(data))
        for bar, number, change in zip(bars, numbers, np.asarray(data.changes), strict=True):
            bar.set_width(min(change, MOST))
            number.set_text(_percent(change))
            number.set_x(min(change, MOST) + 0.05)
        return [first, second, title, *bars, *numbers]

    return update


def say(data) -> str:
    """Say the new order, and whether any word's output noticed."""
    changes = np.asarray(data.changes)
    where = "no positions" if data.positions == "none" else f"{data.positions} positions"
    mask = "a causal mask" if data.causal else "no mask"
    if changes.max() < 1e-9:
        result = "every word gets exactly the output it had before"
    else:
        moved = int((changes > 1e-9).sum())
        result = f"{moved} of {len(changes)} words get another output, by up to {changes.max():.0%}"
    return f'{_sentence(data)}, {where}, {mask}: {result}.'


def _sentence(data) -> str:
    """The words in their new order, in quotation marks."""
    return f'"{" ".join(data.words[i] for i in data.order)}"'


def _table(axes, outputs, title):
    image = axes.imshow(
        np.asarray(outputs), cmap=DIVERGING, vmin=-2.5, vmax=2.5, interpolation="nearest",
        aspect="auto",
    )  # fmt: skip
    axes.set(xlabel="entry of the output", xticks=[0, 5, 10, 15])
    axes.tick_params(axis="y", length=0)
    axes.set_title(title)
    return image


def _changes(axes, data):
    changes = np.asarray(data.changes)
    rows = np.arange(len(changes))
    bars = axes.barh(rows, np.minimum(changes, MOST), height=0.6, color=K)
    numbers = [
        axes.text(min(change, MOST) + 0.05, row, _percent(change), va="center", color=GREY)
        for row, change in zip(rows, changes, strict=True)
    ]
    axes.set(xlim=(0, MOST + 0.45), ylim=(len(changes) - 0.5, -0.5), yticks=[])
    axes.set_xticks([0, 1, 2], ["0%", "100%", "200%"])
    axes.set(xlabel="change (share of its length)")
    axes.set_title("how far each word moved")
    return list(bars), numbers


def _percent(change) -> str:
    return f"{change:.0%}"
