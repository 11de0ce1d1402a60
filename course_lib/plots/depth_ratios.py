"""Bottom over top against depth: what two placements of the norm do to each matrix."""

import numpy as np

from course_lib.plots.gradient_flow import LOOKS
from course_lib.plots.style import FAINT, GREY, K, Q, V

READS = (("#000000", "-"), (K, "--"), (V, "-."), (Q, ":"))


def draw_depths(fig, history):
    """Draw bottom/top ratios against depth, a panel a placement; ``history`` may still grow.

    ``history`` is a list of records with ``stack.placement``, ``stack.depth`` and
    ``flow.weights``; of several records with one placement and depth the last one counts.
    """
    panels = dict(zip(("Post-LN", "Pre-LN"), fig.subplots(1, 2, sharey=True), strict=True))
    lines = {}
    for placement, axes in panels.items():
        axes.set(xscale="log", xlim=(1.7, 60), yscale="log", ylim=(0.1, 1e3))
        axes.set_xticks([2, 6, 12, 24, 48], ["2", "6", "12", "24", "48"])
        axes.minorticks_off()
        axes.set_xlabel("number of blocks")
        axes.set_title(placement)
        axes.axhline(1, color=GREY, linewidth=1, zorder=1)
        axes.grid(axis="y", color=FAINT)
        for name, (colour, dash, marker) in LOOKS.items():
            (lines[placement, name],) = axes.plot(
                [], [], color=colour, linestyle=dash, marker=marker, markersize=5, label=name
            )
    panels["Post-LN"].set_ylabel("gradient, first / last block")
    panels["Post-LN"].legend(ncols=2, loc="upper left", handlelength=3)

    def update(history):
        for (placement, name), line in lines.items():
            ratios = _ratios(history, placement, list(LOOKS).index(name))
            line.set_data(list(ratios), list(ratios.values()))
        return list(lines.values())

    update(history)
    return update


def say_depths(history) -> str:
    """Say the ratios of the deepest stack of each placement."""
    parts = []
    for placement in ("Post-LN", "Pre-LN"):
        found = [_ratios(history, placement, i) for i in range(len(LOOKS))]
        if found[0]:
            deepest = max(found[0])
            named = ", ".join(f"{n} {r[deepest]:.2g}" for n, r in zip(LOOKS, found, strict=True))
            parts.append(f"{placement}, {deepest} blocks: {named}")
    if not parts:
        return "Nothing has been measured yet."
    return f"Gradient in the first block over that in the last. {'; '.join(parts)}."


def draw_decay(fig, data):
    """Draw the gradient of W2 by block in decoders that read different things.

    ``data`` is ``{name: gradients by block}``; each is shown relative to its last block.
    """
    axes = fig.subplots()
    axes.set(yscale="log", xlabel="decoder block, counted from the input")
    axes.set_ylabel("gradient of W2 / the last block's")
    for (name, values), (colour, dash) in zip(data.items(), READS, strict=False):
        relative = np.asarray(values) / np.asarray(values)[-1]
        blocks = np.arange(1, len(relative) + 1)
        axes.plot(blocks, relative, linestyle=dash, color=colour, label=name)
    depth = len(next(iter(data.values())))
    axes.plot([1, depth], [2 ** (-(depth - 1) / 2), 1], color=GREY, linewidth=1.2,
              dashes=(1, 2), label="1/sqrt(2) a block")  # fmt: skip
    axes.set(xlim=(0.5, depth + 0.5), ylim=(2 ** (-depth / 2) / 3, 6))
    fig.legend(
        *axes.get_legend_handles_labels(), loc="outside right center", handlelength=3,
        title="the decoder reads",
    )  # fmt: skip


def say_decay(data) -> str:
    """Say the first block's gradient of W2 over the last one's for each decoder."""
    ratios = (f"{n} {float(np.asarray(v)[0] / np.asarray(v)[-1]):.2g}" for n, v in data.items())
    return f"Gradient of W2 in the first block over that in the last: {', '.join(ratios)}."


def _ratios(history, placement: str, matrix: int) -> dict[int, float]:
    """First over last by depth."""
    ratios = {}
    for record in history:
        if record.stack.placement == placement:
            weights = np.asarray(record.flow.weights)[:, matrix]
            ratios[record.stack.depth] = float(weights[0] / weights[-1])
    return dict(sorted(ratios.items()))
