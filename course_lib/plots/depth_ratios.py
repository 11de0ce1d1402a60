"""Gradients against depth: the first block's over the last one's, and the decay by block."""

import numpy as np

from course_lib.plots.gradient_flow import LOOKS
from course_lib.plots.style import FAINT, GREY, K, Q, V

READS = (("#000000", "-"), (K, "--"), (V, "-."), (Q, ":"))
MATRIX = "W2"
PLACEMENTS = ("Post-LN", "Pre-LN")


def draw_depths(fig, history):
    """Draw the bottom/top ratio of W2 against depth, a panel a placement, a line a start.

    ``history`` may still grow.  It is a list of records with ``stack.placement``, ``.start``,
    ``.causal``, ``.depth`` and ``flow.weights``; those with a causal mask are left out.
    """
    panels = dict(zip(PLACEMENTS, fig.subplots(1, 2, sharey=True), strict=True))
    for placement, axes in panels.items():
        axes.set(xscale="log", xlim=(1.7, 60), yscale="log", ylim=(0.05, 20))
        axes.set_xticks([2, 6, 12, 24, 48], ["2", "6", "12", "24", "48"])
        axes.set_yticks([0.05, 0.1, 1, 10, 20], ["0.05", "0.1", "1", "10", "20"])
        axes.minorticks_off()
        axes.set_xlabel("number of blocks")
        axes.set_title(placement)
        axes.axhline(1, color=GREY, linewidth=1, zorder=1)
        axes.grid(axis="y", color=FAINT)
    panels["Post-LN"].set_ylabel(f"gradient of {MATRIX}, first / last block")

    def update(history):
        for placement, axes in panels.items():
            for line in axes.get_lines()[1:]:
                line.remove()
            for start, (colour, dash) in zip(_starts(history), READS, strict=False):
                ratios = _ratios(history, placement, start)
                axes.plot(list(ratios), list(ratios.values()), color=colour, linestyle=dash,
                          marker="o", markersize=4, label=start)  # fmt: skip
        if _starts(history):
            panels["Post-LN"].legend(ncols=2, loc="upper left", handlelength=3)
        return None  # lines come and go: everything is drawn anew

    update(history)
    return update


def say_depths(history) -> str:
    """Say the ratio of the deepest stack of each placement and start."""
    parts = []
    for placement in PLACEMENTS:
        found = {start: _ratios(history, placement, start) for start in _starts(history)}
        named = [f"{start} {r[max(r)]:.2g} at {max(r)}" for start, r in found.items() if r]
        if named:
            parts.append(f"{placement}: {', '.join(named)} blocks")
    if not parts:
        return "Nothing has been measured yet."
    return f"Gradient of {MATRIX} in the first block over that in the last. {'; '.join(parts)}."


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


def _starts(history) -> list[str]:
    """The starts met so far, in order."""
    return list(dict.fromkeys(record.stack.start for record in history))


def _ratios(history, placement: str, start: str) -> dict[int, float]:
    """First over last by depth, all tokens visible."""
    ratios = {}
    for record in history:
        stack = record.stack
        if (stack.placement, stack.start, stack.causal) == (placement, start, False):
            weights = np.asarray(record.flow.weights)[:, list(LOOKS).index(MATRIX)]
            ratios[stack.depth] = float(weights[0] / weights[-1])
    return dict(sorted(ratios.items()))
