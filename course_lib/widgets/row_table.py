"""A table whose rows are empty until a lesson has measured them."""

from collections.abc import Sequence
from html import escape

from IPython.display import display

EMPTY = "not measured yet"
_CELL = "text-align:left; padding:4px 12px 4px 4px; vertical-align:top; white-space:normal"


class RowTable:
    """Rows with names that are known, and cells that are filled in one by one.

    Args:
        columns: headings, of the rows' names first.
        rows: the names.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[str]):
        if len(columns) < 2 or len(set(rows)) != len(rows):
            raise ValueError("a table needs two columns or more, and rows with different names")
        self.columns = tuple(columns)
        self.cells: dict[str, tuple[str, ...]] = {row: () for row in rows}

    def fill(self, row: str, *cells: str) -> None:
        """Write the cells of one row, and show that row; a second time replaces them.

        A name that the table does not have becomes a new last row.

        Raises:
            ValueError: unless there is one text for each column.
        """
        wanted = len(self.columns) - 1
        if len(cells) != wanted or not all(isinstance(cell, str) for cell in cells):
            raise ValueError(f"{row} needs {wanted} texts, one a column, got {cells!r}")
        self.cells[row] = cells
        display(_Shown(self.columns, {row: cells}))

    @property
    def n_filled(self) -> int:
        """How many rows have been measured."""
        return sum(bool(cells) for cells in self.cells.values())

    def __repr__(self) -> str:
        return repr(_Shown(self.columns, self.cells))

    def _repr_html_(self) -> str:
        return _Shown(self.columns, self.cells)._repr_html_()


class _Shown:
    """Some rows under their headings, as text and as HTML."""

    def __init__(self, columns: Sequence[str], rows: dict[str, tuple[str, ...]]):
        self.columns = columns
        self.lines = [(row, cells or (EMPTY,) * (len(columns) - 1)) for row, cells in rows.items()]

    def __repr__(self) -> str:
        names = self.columns[1:]
        return "\n".join(
            f"{row}: " + "; ".join(f"{n}: {c}" for n, c in zip(names, cells, strict=True))
            for row, cells in self.lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" style="{_CELL}">{escape(c)}</th>' for c in self.columns)
        body = "".join(
            f'<tr><th scope="row" style="{_CELL}">{escape(row)}</th>'
            + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells)
            + "</tr>"
            for row, cells in self.lines
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
