"""What a causal mask can save of a block's operations, for one text and over all lengths."""

import numpy as np

from course_lib.plots import style

LENGTHS = 2.0 ** np.arange(5, 18)
PARTS = (("matrices", "#8CBBD9", ""), ("seen", "#E69F00", ""), ("hidden", "#FFFFFF", "///"))
NAMES = {"matrices": "weights", "seen": "pairs that are read", "hidden": "pairs that are hidden"}


def draw(fig, data):
    """Draw a ``BlockCost``: its parts on the left, what is needed at all lengths on the right."""
    left, right = fig.subplots(1, 2, width_ratios=(1.15, 1))
    left.set(xlim=(0, 100), xlabel="share of all operations of a block (%)")
    left.set_yticks([0, 1], ["BERT", "GPT"])
    left.set_ylim(1.5, -0.5)
    left.tick_params(axis="y", length=0)
    bars = {}
    for line in (0, 1):
        for part, colour, hatch in PARTS:
            look = {"color": colour, "hatch": hatch, "edgecolor": style.GREY, "linewidth": 0.8}
            label = NAMES[part] if line else None
            bars[line, part] = left.barh(line, 0, height=0.6, label=label, **look)[0]
    fig.legend(loc="outside upper left", ncols=3)
    right.set(xscale="log", xlim=(LENGTHS[0], LENGTHS[-1]), ylim=(45, 102))
    right.set(xlabel="tokens in the text (logarithmic)")
    right.set_ylabel("a GPT needs (% of\nall operations)")
    right.set_xticks([32, 512, 8192, 131_072], ["32", "512", "8,192", "131,072"])
    right.minorticks_off()
    style.reference_line(right, 50, "half", at=0.02, below=True)
    (line,) = right.plot([], [], color=style.K)
    (dot,) = right.plot([], [], "o", color="black", markersize=8)

    def update(data):
        total = data.matrices + data.seen + data.hidden
        split = {0: (data.matrices, data.seen + data.hidden, 0),
                 1: (data.matrices, data.seen, data.hidden)}  # fmt: skip
        for row, sizes in split.items():
            start = 0.0
            for (part, *_), size in zip(PARTS, sizes, strict=True):
                bars[row, part].set(x=start, width=100 * size / total)
                start += 100 * size / total
        line.set_data(LENGTHS, [100 * _needed(data.d_model, n) for n in LENGTHS])
        dot.set_data([data.n_words], [100 * (1 - data.hidden / total)])
        return [*bars.values(), line, dot]

    update(data)
    return update


def say(data) -> str:
    """Say the share of the pairs, and what the mask can save of the whole."""
    total = data.matrices + data.seen + data.hidden
    return (
        f"Width {data.d_model}, {data.n_words:,} tokens: pairs take "
        f"{(data.seen + data.hidden) / total:.1%} of a block's operations, and a causal mask can "
        f"save {data.hidden / total:.1%} of all."
    )


def _needed(d_model: int, n_words: float) -> float:
    """The share that is left when hidden pairs are left out."""
    return (24 * d_model + 2 * (n_words + 1)) / (24 * d_model + 4 * n_words)
