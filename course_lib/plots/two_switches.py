"""A model between BERT and GPT: who has an influence on whom, and which family each row is of."""

import numpy as np
from matplotlib.colors import ListedColormap

from course_lib.plots import style

TINTS = {"both": "#F2F2F2", "BERT": "#CFE3F0", "GPT": "#F7DFCC", "neither": "#FFFFFF"}
COLUMNS = ("BERT", "yours", "GPT")
STARTS = {
    "xavier": "by Xavier", "scaled": "as GPT-2's", "normal": "with 0.02, as BERT's",
}  # fmt: skip
ALIKE = 0.05  # a gradient within this share of another is the same
MODELS = {
    (False, False): "BERT, 2018", (True, True): "GPT-2, 2019",
    (True, False): "the first GPT, 2018", (False, True): "ModernBERT, 2024",
}  # fmt: skip


def draw(fig, data):
    """Draw a ``Switched``: the influences on the left, the rows of the comparison on the right."""
    left, right = fig.subplots(1, 2, width_ratios=(1, 2.5))
    left.set(aspect="equal", xlim=(0, 1), ylim=(1, 0), xlabel="input at word")
    left.set(ylabel="output at word", title="dark: an influence")
    # Each label stands inside the square's edge: outside, two of them would meet in the corner.
    for axis, sides in ((left.xaxis, ("left", "right")), (left.yaxis, ("top", "bottom"))):
        axis.set_ticks([0.0, 1.0], ["first", "last"])
        for label, side in zip(axis.get_ticklabels(), sides, strict=True):
            label.set(**{"ha" if axis is left.xaxis else "va": side})
    left.tick_params(length=0)
    left.spines[:].set_visible(True)
    texts, boxes = _table(right, rows(data))

    def update(data):
        for cells in list(left.collections):
            cells.remove()  # there may be more words now, or fewer
        _cells(left, data)
        for line, (_, values, family) in enumerate(rows(data)):
            boxes[line].set_facecolor(TINTS[family])
            for column, value in enumerate(values):
                texts[line][column].set_text(value)
        return None  # texts outside their boxes: all is drawn anew

    update(data)
    return update


def rows(data) -> list[tuple[str, tuple[str, str, str], str]]:
    """Name, the three values in words, and whose value it is, row by row."""
    found = []
    for name, read, write in _ROWS:
        bert, yours, gpt = (read(row) for row in (data.bert, data.row, data.gpt))
        words = tuple(write(value) for value in (bert, yours, gpt))
        found.append((name, words, _family(bert, yours, gpt)))
    return found


def say(data) -> str:
    """Say how many rows are BERT's and how many GPT's, and which model is made like this."""
    families = [family for *_, family in rows(data)]
    count = {name: families.count(name) for name in ("BERT", "GPT", "both")}
    design = data.design
    reads = "only the past" if design.causal else "both sides"
    norm = "before" if design.norm_first else "behind"
    start = STARTS.get(design.start, f"by {design.start}")
    return (
        f"Weights drawn {start}. Attention reads {reads}, the norm stands {norm} each sublayer "
        f"(like {MODELS[design.causal, design.norm_first]}). Rows as BERT's: {count['BERT']}, as "
        f"GPT's: {count['GPT']}, the same in both: {count['both']}."
    )


def _percent(value: float) -> str:
    return f"{value:.0%}"


_ROWS = (
    ("pairs of words with an influence", lambda r: r.pairs, _percent),
    ("vectors that stay when a word is added", lambda r: r.kept, _percent),
    ("places that see the next word", lambda r: r.next_seen, _percent),
    ("operations of our code, one block", lambda r: r.operations, lambda v: f"{v:,}"),
    ("gradient on top: 12 blocks over 2", lambda r: r.top, lambda v: f"{v:.2f}"),
)


def _family(bert: float, yours: float, gpt: float) -> str:
    as_bert, as_gpt = (abs(yours - other) <= ALIKE * max(abs(other), 0.1) for other in (bert, gpt))
    if as_bert and as_gpt:
        return "both"
    return "BERT" if as_bert else "GPT" if as_gpt else "neither"


def _cells(axes, data) -> None:
    """A cell for each pair of words, dark where there is an influence."""
    reached = (np.asarray(data.row.influence) > 0).astype(float)
    edges = np.linspace(0, 1, len(reached) + 1)
    two = ListedColormap(["white", style.GREY])
    axes.pcolormesh(edges, edges, reached, cmap=two, vmin=0, vmax=1, edgecolors=style.FAINT)


def _table(axes, lines):
    """Names on the left, three columns of values, with a box behind the middle one."""
    n = len(lines)
    axes.set(xlim=(0, 1), ylim=(n + 0.1, -0.9))
    axes.axis("off")
    centres = (0.62, 0.78, 0.94)
    for x, name in zip(centres, COLUMNS, strict=True):
        axes.text(x, -0.4, name, ha="center", va="center", weight="bold")
    texts, boxes = [], []
    for line, (name, values, family) in enumerate(lines):
        axes.text(0, line + 0.5, name, va="center")
        box = axes.barh(line + 0.5, 0.15, left=0.705, height=0.86, color=TINTS[family])
        box[0].set_edgecolor(style.FAINT)
        boxes.append(box[0])
        texts.append([
            axes.text(x, line + 0.5, value, ha="center", va="center")
            for x, value in zip(centres, values, strict=True)
        ])  # fmt: skip
    legend = "within 5%: blue of BERT's, orange of GPT's, grey of both; white: of neither"
    axes.text(0, n + 0.05, legend,
              color=style.GREY, fontsize=10, va="top")  # fmt: skip
    return texts, boxes
