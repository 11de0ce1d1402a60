"""Which heads matter: how much the loss rises without one of them."""

import numpy as np

from course_lib.plots.style import GREY, K, Q


def draw_effects(fig, runs):
    """Draw how much the loss rises when one head is silenced, a panel for each run."""
    panels = np.atleast_1d(fig.subplots(1, len(runs), sharey=True))
    for number, (axes, run) in enumerate(zip(panels, runs, strict=True)):
        axes.set(ylim=(-0.05, 2.4), title=f"run {number + 1}, loss {run.loss:.2f}")
        axes.axhline(0, color=GREY, linewidth=0.8)
        blocks = zip(np.asarray(run.effects), (Q, K), strict=False)
        middles = [_bars(axes, rises, block, c) for block, (rises, c) in enumerate(blocks)]
        axes.set_xticks(middles, [f"heads of block {block + 1}" for block in range(len(middles))])
        axes.tick_params(axis="x", length=0)
    panels[0].set_ylabel("rise of the loss without it (nats)")


def _bars(axes, rises, block: int, colour: str) -> float:
    """A bar for each head of a block; numbers where there is something to see."""
    places = np.arange(len(rises)) + block * (len(rises) + 0.6)
    bars = axes.bar(places, rises, color=colour, width=0.75)
    largest = np.abs(rises).max()
    if largest >= 0.1:
        axes.bar_label(bars, [f"{rise:.1f}" for rise in rises], padding=2)
    else:
        label = f"each below {np.ceil(100 * largest + 1e-9) / 100:.2f}"
        axes.annotate(label, (places.mean(), 0.05), ha="center", va="bottom")
    return float(places.mean())


def say_effects(runs) -> str:
    """Say the smallest and the largest effect of each block."""
    effects = np.stack([np.asarray(run.effects) for run in runs])  # [run, block, head]
    parts = [
        f"between {round(one.min(), 2) + 0.0:.2f} and {one.max():.2f} nats in block {block + 1}"
        for block, one in enumerate(effects.swapaxes(0, 1))
    ]
    return f"Silencing one head raises the loss by {', '.join(parts)}, over {len(runs)} runs."
