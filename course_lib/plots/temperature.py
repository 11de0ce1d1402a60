"""Softmax temperature: the shares now, and where they lie on the curves of all temperatures."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, label_line

COLOURS = (Q, K, V, "#8C5A7C", "#3D3D3D")  # the course's accent, darkened to be read as text
GAP = 0.02  # between a bar and its number
DASHES = ("-", "--", "-.", ":", (0, (1, 1)))
LABELS = ((3, 9), (4, 11), (5, -12), (8, -9), (9, -11))  # which temperature, points above


def draw(fig, data):
    """Draw ``Shares``; the update moves bars, numbers and the temperature's line."""
    left, right = fig.subplots(1, 2, width_ratios=(1, 1.25))
    bars, numbers = _bars(left, data)
    line = _curves(right, data)

    def update(data):
        for bar, number, share in zip(bars, numbers, np.asarray(data.probs), strict=True):
            bar.set_width(share)
            number.set_text(f"{share:.1%}")
            number.set_x(share + GAP)
        line.set_xdata([data.temperature] * 2)
        return [*bars, *numbers, line]

    return update


def say(data) -> str:
    """Say who leads by how much, at this temperature."""
    shares = np.asarray(data.probs)
    order = np.argsort(-shares)
    first, last = order[0], order[-1]
    return (
        f'At temperature {data.temperature:g} the word "{data.words[first]}" gets '
        f'{shares[first]:.1%} and "{data.words[last]}" gets {shares[last]:.1%}.'
    )


def _bars(axes, data):
    """One bar a word, from 0 to 1 whatever the temperature."""
    rows = np.arange(len(data.words))[::-1]
    shares = np.asarray(data.probs)
    bars = axes.barh(rows, shares, color=COLOURS, height=0.62)
    numbers = [
        axes.text(share + GAP, row, f"{share:.1%}", va="center", color=GREY)
        for row, share in zip(rows, shares, strict=True)
    ]
    axes.set(xlim=(0, 1.18), xlabel="share", xticks=[0, 0.5, 1])
    axes.set_yticks(rows, data.words)
    axes.set_title("The cat sat on the ...")
    return list(bars), numbers


def _curves(axes, data):
    """The share of each word at every temperature, and a line at the present one."""
    for i, (word, (at, dy)) in enumerate(zip(data.words, LABELS, strict=True)):
        curve = np.asarray(data.curves)[:, i]
        axes.plot(data.temperatures, curve, color=COLOURS[i], linestyle=DASHES[i])
        label_line(axes, data.temperatures[at], float(curve[at]), word, COLOURS[i], dx=3, dy=dy)
    axes.set(xscale="log", ylim=(0, 1.05), xlim=(0.09, 11))
    axes.set(xlabel="temperature (logarithmic)", ylabel="share")
    axes.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    axes.minorticks_off()
    axes.set_title("each word, at every temperature")
    return axes.axvline(data.temperature, color=GREY, linewidth=1.5)
