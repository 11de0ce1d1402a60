"""Tables of what went well and what did not: fill values, and padding."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.plots import style

COLOURS = {"right": (style.V, 0.25), "wrong": (style.K, 0.3), "doubtful": (style.VALIDATION, 0.3)}
MEANING = {
    "hidden": "right", "not hidden": "wrong", "NaN": "wrong", "error": "wrong",
    "equal shares": "doubtful", "as unmasked": "doubtful", "other shares": "doubtful",
}  # fmt: skip
WAYS = {
    "replace": "replaced by {}", "add M": "0 and {} added (M)", "add": "(1 − mask) × {} added",
    "add twice": "the same, added twice",
}  # fmt: skip
NAMES = {"lowest": "the lowest", "-inf": "−∞", "-1e9": "−1e9", "-1e4": "−1e4"}
LARGE = 1e-9  # a change of outputs near 1 that is no rounding of float64


def draw_fills(fig: Figure, records: Sequence) -> None:
    """Draw the records of ``fill_table``: one row a fill, one column a number format."""
    formats = list(dict.fromkeys(r.dtype for r in records))
    rows = list(dict.fromkeys(_fill_name(r) for r in records))
    panels = fig.subplots(1, 2, sharey=True)
    titles = ("one key of the row hidden", "all keys of the row hidden")
    for axes, title, field in zip(panels, titles, ("one_hidden", "all_hidden"), strict=True):
        _empty_table(axes, rows, formats)
        axes.set_title(title, pad=24)
        for r in records:
            text = getattr(r, field)
            place = rows.index(_fill_name(r)), formats.index(r.dtype)
            _cell(axes, *place, text, MEANING[text])


def say_fills(records: Sequence) -> str:
    """Say which ways hide one key in every format, and what an empty row becomes."""
    names = list(dict.fromkeys(_fill_name(r) for r in records))
    always = [
        name for name in names
        if all(r.one_hidden == "hidden" for r in records if _fill_name(r) == name)
    ]  # fmt: skip
    empty = [r.all_hidden for r in records]
    counts = ", ".join(f"{empty.count(kind)} times {kind}" for kind in dict.fromkeys(empty))
    return (
        f"One key is hidden in every number format by {len(always)} of {len(names)} ways. A row "
        f"with nothing to read becomes, over all ways and formats: {counts}."
    )


def draw_padding(fig: Figure, records: Sequence) -> None:
    """Draw the records of ``padding_changes``: what padding does to the real tokens' outputs."""
    rows = list(dict.fromkeys(_padded(r) for r in records))
    columns = list(dict.fromkeys(r.handling for r in records))
    axes = fig.subplots()
    _empty_table(axes, rows, columns)
    for r in records:
        place = rows.index(_padded(r)), columns.index(r.handling)
        _cell(axes, *place, f"{r.change:.1g}", "wrong" if r.change > LARGE else "right")


def say_padding(records: Sequence) -> str:
    """Say where padding changes the outputs at real tokens."""
    changed = [f"{_padded(r)}, {r.handling}" for r in records if r.change > LARGE]
    return (
        f"Padding changes the outputs at real tokens in {len(changed)} of {len(records)} cases "
        f"({'; '.join(changed)}); elsewhere only the rounding differs."
    )


def _padded(record) -> str:
    return f"{record.model}, padding on the {record.side}"


def _fill_name(record) -> str:
    return WAYS[record.way].format(NAMES[record.fill])


def _empty_table(axes, rows: list[str], columns: list[str]) -> None:
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.set_xticks([i + 0.5 for i in range(len(columns))], columns)
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell(axes, row: int, column: int, text: str, meaning: str) -> None:
    box = {"facecolor": COLOURS[meaning], "edgecolor": "white", "linewidth": 2}
    axes.add_patch(Rectangle((column, row), 1, 1, **box))
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=10)
