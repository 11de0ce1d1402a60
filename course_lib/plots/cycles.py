"""Walks through a chain of words: greedy ones repeat themselves."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q


def draw(fig, data):
    """Draw each walk as dots, word number against step; shade the first round of a cycle."""
    panels = fig.subplots(1, len(data), sharey=True, squeeze=False)[0]
    for axes, (name, (words, cycle)), colour in zip(panels, data.items(), (K, Q), strict=False):
        words = np.asarray(words)
        axes.plot(words, color=FAINT, linewidth=1, zorder=1)
        axes.plot(words, "o", color=colour, markersize=4, zorder=2)
        title = f"{name}: goes on"
        if cycle is not None:
            end = cycle.before + cycle.length
            axes.axvspan(cycle.before - 0.5, end - 0.5, color=FAINT, zorder=0)
            axes.axvline(end - 0.5, color=GREY, linestyle=(0, (4, 3)), linewidth=1.2)
            title = f"{name}: at step {end} as at step {cycle.before}"
        axes.set_title(title)
        axes.set(xlabel="step", xlim=(-1, len(words)))
    panels[0].set_ylabel("word (its number)")


def say(data) -> str:
    """Say which walk repeats itself, and how."""
    parts = []
    for name, (words, cycle) in data.items():
        if cycle is None:
            parts.append(f"{name} no cycle in {len(words) - 1} steps")
        else:
            end = cycle.before + cycle.length
            parts.append(
                f"{name} comes at step {end} to the word of step {cycle.before}, "
                f"and every {cycle.length} steps from then on"
            )
    sentence = f"{'; '.join(parts)}."
    return sentence[0].upper() + sentence[1:]
