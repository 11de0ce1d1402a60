"""Which heads matter and where they look: the loss without one of them, shares by distance."""

import numpy as np

from course_lib.plots.style import GREY, SEQUENTIAL, K, Q

WIDEST = 0.5  # the largest share of attention at one distance that gets a colour of its own


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


def draw_distances(fig, roles):
    """Draw how far back each head looks: a row for each head, a column for each distance."""
    shares = np.asarray(roles.by_distance)
    n_layers, n_heads, n_distances = shares.shape
    axes = fig.subplots()
    image = axes.imshow(
        shares.reshape(-1, n_distances), cmap=SEQUENTIAL, vmin=0, vmax=WIDEST, aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    axes.axhline(n_heads - 0.5, color="white", linewidth=3)
    axes.set_yticks(
        range(n_layers * n_heads),
        [f"block {b + 1}, head {h + 1}" for b in range(n_layers) for h in range(n_heads)],
    )
    axes.set_xticks([0, 1, 5, 8, 11, n_distances - 1])
    axes.set_xlabel("places back, averaged over positions (next letter: 5, 11 if six; 8 if nine)")
    bar = fig.colorbar(image, ax=axes, ticks=[0, 0.25, 0.5], fraction=0.04, pad=0.02)
    bar.ax.set_yticklabels(["0%", "25%", "50%"])
    bar.set_label("share of attention")
    bar.outline.set_visible(False)


def say_distances(roles) -> str:
    """Say how much of its attention each block spends on the two places, and one place back."""
    parts = [
        f"block {b + 1} spends {100 * float(both.mean()):.0f}% on the places where the next letter "
        f"may stand and {100 * float(previous.mean()):.0f}% one place back"
        for b, (both, previous) in enumerate(
            zip(np.asarray(roles.induction) + np.asarray(roles.other), np.asarray(roles.previous),
                strict=True)
        )
    ]  # fmt: skip
    return f"One run: {'; '.join(parts)}."
