"""How many tokens were ever asked for, against the passes over the texts."""

import numpy as np

from course_lib.plots.style import K, Q, V, label_line

LOOKS = ((K, "s"), (Q, "^"), (V, "o"))


def draw(fig, data) -> None:
    """Draw shares that were counted (marks) and foretold (lines).

    ``data`` is ``[(name, counted, foretold)]``, a share for each pass.
    """
    axes = fig.subplots()
    n = len(data[0][1])
    axes.set(xlim=(0, 1.33 * n), ylim=(0, 1.05), xlabel="passes over the texts")
    axes.set(ylabel="share of tokens ever scored", yticks=np.linspace(0, 1, 5))
    axes.set_xticks(range(0, n + 1, 10))
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    for (name, counted, foretold), (colour, mark) in zip(data, LOOKS, strict=False):
        passes = np.arange(1, n + 1)
        axes.plot(passes, foretold, color=colour, linewidth=1.5)
        axes.plot(passes[::2], counted[::2], mark, color=colour, markersize=4.5)
        label_line(axes, float(n), float(counted[-1]), name, colour, dx=8)


def say(data) -> str:
    """Say where each kind ends, counted and foretold."""
    ends = "; ".join(f"{n} {c[-1]:.1%} (foretold {f[-1]:.1%})" for n, c, f in data)
    return f"Share of tokens ever scored after {len(data[0][1])} passes: {ends}."
