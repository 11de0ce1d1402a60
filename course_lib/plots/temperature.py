"""Softmax temperature: the shares at one temperature as bars, at all of them as curves."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, label_line

COLOURS = (Q, K, V, "#8C5A7C", "#3D3D3D")  # the course's accent, darkened to be read as text
GAP = 0.02  # between a bar and its number
DASHES = ("-", "--", "-.", ":", (0, (1, 1)))
LABELS = ((3, 9), (6, 10), (7, -10), (5, 10), (9, -11))  # which temperature, points above


def draw(fig, data):
    """Draw ``Shares`` as bars; the update moves bars and numbers."""
    bars, numbers = _bars(fig.subplots(), data)

    def update(data):
        for bar, number, share in zip(bars, numbers, np.asarray(data.probs), strict=True):
            bar.set_width(share)
            number.set_text(f"{share:.1%}")
            number.set_x(share + GAP)
        return [*bars, *numbers]

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
        axes.text(share + GAP, row, f"{share:.1%}", va="center_baseline", color=GREY)
        for row, share in zip(rows, shares, strict=True)
    ]
    axes.set(xlim=(0, 1.18), xlabel="share")
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_yticks(rows, data.words)
    axes.set_title("The cat sat on the ...")
    return list(bars), numbers


def draw_curves(fig, data):
    """Draw ``Curves``, the share of each word at every temperature."""
    axes = fig.subplots()
    for i, (word, (at, dy)) in enumerate(zip(data.words, LABELS, strict=True)):
        curve = np.asarray(data.probs)[:, i]
        axes.plot(data.temperatures, curve, color=COLOURS[i], linestyle=DASHES[i])
        label_line(axes, data.temperatures[at], float(curve[at]), word, COLOURS[i], dx=3, dy=dy)
    axes.set(xscale="log", ylim=(0, 1.05), xlim=(0.09, 11))
    axes.set(xlabel="temperature (logarithmic)", ylabel="share")
    axes.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.minorticks_off()


def say_curves(data) -> str:
    """Say where the curves start and end."""
    low, high = np.asarray(data.probs)[0], np.asarray(data.probs)[-1]
    return (
        f"At temperature {data.temperatures[0]:g} the shares go from {low.max():.0%} down to "
        f"{low.min():.0%}, at {data.temperatures[-1]:g} from {high.max():.0%} down to "
        f"{high.min():.0%}; the five curves never cross."
    )
