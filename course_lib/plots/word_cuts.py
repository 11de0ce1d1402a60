"""A word as boxes, one row for each way of cutting; and how often two ways disagree."""

from matplotlib.patches import Rectangle

from course_lib.plots.style import FAINT, GREY, K, Q, V, label_line

LETTERS = 14  # of the longest word that the figure has room for
ROWS = {
    "by rank": ("BPE: frequent pairs,\nmerged in the order learnt", Q),
    "longest first": ("the same pieces,\nlongest first", V),
    "likelihood": ("pieces learnt otherwise,\nlongest first", K),
}


def draw(fig, data):
    """Draw ``Cuts``: each piece is a box over its letters."""
    axes = fig.subplots()
    axes.set(xlim=(-0.1, LETTERS + 2.2), ylim=(3.05, -0.1), xticks=[])
    axes.set_yticks([0.5, 1.5, 2.5], [label for label, _ in ROWS.values()])
    axes.tick_params(axis="y", length=0)
    axes.spines[:].set_visible(False)
    rows = [_row(axes, place, colour) for place, (_, colour) in enumerate(ROWS.values())]

    def update(data):
        for (boxes, words, count), way in zip(rows, ROWS, strict=True):
            _fill(boxes, words, count, data.pieces[way])
        return [artist for boxes, words, count in rows for artist in (*boxes, *words, count)]

    update(data)
    return update


def say(data) -> str:
    """Say the pieces of each row."""
    cuts = {way: " ".join(pieces) for way, pieces in data.pieces.items()}
    return (
        f'"{data.word}" with {data.n_merges} pieces learnt: by rank {cuts["by rank"]}; longest '
        f"first {cuts['longest first']}; learnt otherwise, longest first "
        f"{cuts['likelihood']}."
    )


CHANGES = {
    "training": ("other pieces, same cut\n(learnt by the score)", K),
    "cut": ("same pieces, other cut\n(in the order learnt)", Q),
}


def draw_shares(fig, data):
    """Draw the share of words that are cut otherwise when one thing is changed.

    ``data`` is ``(sizes, {"cut": shares, "training": shares})``.
    """
    sizes, shares = data
    axes = fig.subplots()
    axes.set(xlim=(0, max(sizes) * 1.35), ylim=(0, 1), xlabel="pieces learnt")
    axes.set_ylabel("words cut otherwise")
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_xticks(sizes)
    axes.grid(axis="y")
    for change, (label, colour) in CHANGES.items():
        axes.plot(sizes, shares[change], color=colour, marker="os"[change == "cut"])
        label_line(axes, float(sizes[-1]), float(shares[change][-1]), label, colour, dx=10)


def say_shares(data) -> str:
    """Say the shares at the largest size."""
    sizes, shares = data
    return (
        f"With {sizes[-1]} pieces learnt, the other way of cutting changes "
        f"{shares['cut'][-1]:.0%} of the words in several pieces, and the other rule of training "
        f"{shares['training'][-1]:.0%}."
    )


def _row(axes, place, colour):
    """Empty boxes and texts for the most pieces that a row can have, and its count."""
    boxes = [axes.add_patch(Rectangle((0, place + 0.12), 1, 0.76, facecolor=colour, alpha=0.18,
                                      edgecolor=colour, linewidth=1.5))
             for _ in range(LETTERS)]  # fmt: skip
    words = [axes.text(0, place + 0.5, "", ha="center", va="center", fontsize=12)
             for _ in range(LETTERS)]  # fmt: skip
    count = axes.text(0, place + 0.5, "", va="center", color=GREY)
    axes.axhline(place + 1, color=FAINT, linewidth=0.8)
    return boxes, words, count


def _fill(boxes, words, count, pieces):
    """Put the pieces into the boxes of one row; a piece's mark is drawn, but takes no room."""
    at = 0
    shown = [*pieces, *[""] * (len(boxes) - len(pieces))]
    for box, word, piece in zip(boxes, words, shown, strict=True):
        width = len(piece.removeprefix("##"))
        box.set(visible=bool(piece), x=at + 0.05, width=max(width - 0.1, 0.1))
        word.set(text=piece.removeprefix("##"), x=at + width / 2)
        at += width
    count.set(text=f"{len(pieces)} piece{'s' if len(pieces) > 1 else ''}", x=at + 0.15)
