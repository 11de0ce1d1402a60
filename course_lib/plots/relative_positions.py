"""What scores know of the distance, and how far rotary's slow pairs turn."""

import numpy as np

from course_lib.plots.style import DIVERGING, FAINT, GREY, K, label_line


def draw_scores(fig, data):
    """Draw two score matrices of position vectors, ``data = (raw, mixed)``, each to its scale."""
    panels = fig.subplots(1, 2)
    titles = ("PE . PE", "(PE W_q) . (PE W_k)")
    for axes, scores, title in zip(panels, map(np.asarray, data), titles, strict=True):
        most = np.abs(scores).max()
        image = axes.imshow(scores, cmap=DIVERGING, vmin=-most, vmax=most, interpolation="nearest")
        axes.set(xlabel="position of the key", ylabel="position of the query")
        axes.set_title(title)
        bar = axes.figure.colorbar(image, ax=axes, fraction=0.046, pad=0.04)
        bar.set_label("score")
        bar.outline.set_visible(False)


def say_scores(data) -> str:
    """Say how much of the spread is left along a diagonal."""
    raw, mixed = (_share_along_diagonals(np.asarray(scores)) for scores in data)
    return (
        "Standard deviation along the diagonals, as a share of the whole matrix's: "
        f"{raw:.0%} for the raw vectors, {mixed:.0%} after random weight matrices."
    )


def _share_along_diagonals(scores):
    n = len(scores)
    along = [np.diagonal(scores, k).std() for k in range(8 - n, n - 7)]
    return float(np.mean(along) / scores.std())


def draw_turns(fig, data):
    """Draw how often each pair turns within a length.

    ``data`` is ``(d_head, [lengths], base)``.
    """
    d_head, lengths, base = data
    axes = fig.subplots()
    pairs = np.arange(d_head // 2)
    axes.axhspan(1e-4, 1, color=FAINT, alpha=0.6, linewidth=0)
    axes.annotate("less than one turn", (0.02, 0.05), xycoords="axes fraction", color=GREY)
    looks = zip(lengths, ("-", "--", ":"), strict=False)
    for length, dash in looks:
        turns = turns_within(d_head, length, base)
        axes.plot(pairs, turns, color=K, linestyle=dash)
        label_line(axes, float(pairs[-1]), float(turns[-1]), f"{length} positions", K)
    low = turns_within(d_head, min(lengths), base)[-1]
    axes.set(yscale="log", xlim=(0, d_head / 2), ylim=(low / 2, max(lengths)))
    axes.set(xlabel="pair, fast ones first", ylabel="turns within the length")


def say_turns(data) -> str:
    """Say how many pairs never complete a turn, for each length."""
    d_head, lengths, base = data
    counts = [int((turns_within(d_head, length, base) < 1).sum()) for length in lengths]
    parts = [f"{c} of {d_head // 2} within {n}" for c, n in zip(counts, lengths, strict=True)]
    return f"Pairs that do not complete a turn at width {d_head}: {', '.join(parts)}."


def turns_within(d_head, length, base):
    """Turns of each pair within ``length`` positions, from the wavelengths 2 pi base^(2i/d)."""
    return length / (2 * np.pi * base ** (2 * np.arange(d_head // 2) / d_head))
