"""How much of a held-out text is unknown, by the length of the text a vocabulary is made from."""

from course_lib.plots.style import GREY, K, Q, V, label_line

LOWEST = 1e-6  # the lower edge, where "none" is drawn: a logarithmic axis has no 0
LOOKS = {"words": (K, "o-"), "characters": (Q, "s--"), "bytes": (V, "D-")}


def draw(fig, data):
    """Draw an ``Unknown``: one line for each kind of symbol."""
    axes = fig.subplots()
    axes.set(xscale="log", yscale="log", ylim=(LOWEST, 1.5))
    axes.set_xlim(min(data.lengths) / 1.3, max(data.lengths) * 3.2)  # room for the names
    axes.set_xticks(data.lengths, [f"{n:,}" for n in data.lengths])
    axes.set_yticks([1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, LOWEST],
                    ["100%", "10%", "1%", "0.1%", "0.01%", "0.001%", "none"])  # fmt: skip
    axes.minorticks_off()
    axes.set(xlabel="characters of training text (logarithmic)",
             ylabel="unknown share of held-out text")  # fmt: skip
    for name, shares in data.shares.items():
        colour, look = LOOKS.get(name, (GREY, "o-"))
        heights = [max(share, LOWEST) for share in shares]
        axes.plot(data.lengths, heights, look, color=colour, clip_on=False)
        label_line(axes, data.lengths[-1], float(heights[-1]), name, colour, dx=10,
                   dy=9 if heights[-1] == LOWEST else 0)  # fmt: skip


def say(data) -> str:
    """Give the first and the last share of each line."""
    ends = [f"{name} from {_share(shares[0])} to {_share(shares[-1])}"
            for name, shares in data.shares.items()]  # fmt: skip
    return (
        f"Unknown in held-out text, with {data.lengths[0]:,} to {data.lengths[-1]:,} characters "
        f"to make a vocabulary from: {', '.join(ends)}."
    )


def _share(share: float) -> str:
    return f"{100 * share:.2g}%" if share else "none"
