"""One head or several: how fast models learn, and where the heads look."""

import numpy as np

from course_lib.plots.style import GREY, SEQUENTIAL, K, Q, V, label_line, reference_line

COLOURS = (K, Q, V)


def draw_learning(fig, data):
    """Draw the loss against the steps; ``data`` is ``(runs, guess)``.

    A thin line for each seed of each run, a thick one for their mean.  ``guess`` is the loss of
    who knows two places and flips a coin.
    """
    runs, guess = data
    last = max(run.steps[-1] for run in runs)
    axes = fig.subplots()
    axes.set(xlim=(0, 1.22 * last), ylim=(0, 1.6), xlabel="steps of training")
    axes.set_ylabel("loss on new texts (nats a letter)")
    for run, colour in zip(runs, COLOURS, strict=False):
        losses = np.asarray(run.losses)
        axes.plot(run.steps, losses.T, color=colour, linewidth=0.8, alpha=0.5)
        axes.plot(run.steps, losses.mean(axis=0), color=colour, linewidth=2.2)
        end = run.steps[-1], float(losses[:, -1].mean())
        label_line(axes, *end, f"{run.n_heads} head{'s' * (run.n_heads > 1)}", colour, dx=5)
    reference_line(axes, guess, "two places known, a coin decides", at=1.0)


def say_learning(data) -> str:
    """Say the mean loss of every number of heads, halfway and in the end."""
    runs, guess = data
    parts = []
    for run in runs:
        means, middle = np.asarray(run.losses).mean(axis=0), len(run.steps) // 2
        parts.append(
            f"{run.n_heads} head{'s' * (run.n_heads > 1)}: {means[middle]:.2f} after "
            f"{run.steps[middle]} steps, {means[-1]:.2f} after {run.steps[-1]}"
        )
    return f"Mean loss in nats, {'; '.join(parts)}. A coin would give {guess:.2f}."


def draw_maps(fig, data):
    """Draw the scored rows of attention maps side by side; ``data`` is ``(titles, maps, first)``.

    ``maps`` is ``[head, query, key]`` and ``first`` the first position that is scored.
    """
    titles, maps, first = data[0], np.asarray(data[1]), data[2]
    panels = np.atleast_1d(fig.subplots(1, len(maps), sharey=True))
    for axes, title, shares in zip(panels, titles, maps, strict=True):
        image = axes.imshow(
            shares[first:], cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        axes.set_title(title, color=GREY)
        axes.set_xticks([0, 5, 10, 15], ["1", "6", "11", "16"])
        axes.set_yticks(range(0, maps.shape[1] - first), range(first + 1, maps.shape[1] + 1))
    panels[0].set_ylabel("reader (position)")
    panels[len(maps) // 2].set_xlabel("read (position)")
    bar = fig.colorbar(image, ax=panels, ticks=[0, 0.5, 1], fraction=0.03, pad=0.02)
    bar.ax.set_yticklabels(["0%", "50%", "100%"])
    bar.outline.set_visible(False)


def say_maps(data) -> str:
    """Say the largest share of every scored row, averaged, for each map."""
    tops = np.asarray(data[1])[:, data[2] :].max(axis=-1).mean(axis=-1)
    parts = [f"{title} {100 * top:.0f}%" for title, top in zip(data[0], tops, strict=True)]
    return f"Mean of the largest share in a row: {', '.join(parts)}."
