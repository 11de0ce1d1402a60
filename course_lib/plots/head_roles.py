"""What heads are for: the loss by their number, without one of them, and where they look."""

import numpy as np

from course_lib.plots.style import GREY, SEQUENTIAL, K, Q, label_line, reference_line

WIDEST = 0.5  # the largest share of attention at one distance that gets a colour of its own


def draw_counts(fig, data):
    """Draw the loss against the number of heads; ``data`` is ``(counts, losses, guess)``.

    ``losses`` has one row for each count and one column for each seed; ``guess`` is the loss of
    who knows the two places and flips a coin.
    """
    counts, losses = data[0], np.asarray(data[1])
    axes = fig.subplots()
    axes.set(xscale="log", xlabel="heads in the block (64 / heads wide each)", ylim=(0, 0.8))
    axes.set_xlim(counts[0] / 1.5, counts[-1] * 1.9)
    axes.set_ylabel("loss on new texts (nats a letter)")
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.minorticks_off()
    axes.plot(counts, losses, "o", color=Q, alpha=0.5)
    axes.plot(counts, losses.mean(axis=1), color=Q)
    label_line(axes, counts[-1], float(losses[-1].mean()), "mean", Q, dx=9)
    reference_line(axes, data[2], "both places known, a coin decides", at=1.0)


def say_counts(data) -> str:
    """Say the mean loss for every number of heads."""
    means = np.asarray(data[1]).mean(axis=1)
    parts = [f"{count}: {mean:.2f}" for count, mean in zip(data[0], means, strict=True)]
    return (
        f"Mean loss in nats by number of heads, {', '.join(parts)}; a coin between the two places "
        f"would give {data[2]:.2f}."
    )


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
    axes.set_xlabel("places back (the next letter: 5 and 11 if six letters, 8 if nine)")
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
