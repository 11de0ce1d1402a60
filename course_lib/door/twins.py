"""A lesson's text twin: the same cells as a Python file that can be read and reviewed.

The twin is jupytext's percent format.  Nothing of it is recorded inside the notebook, so saving
a lesson in JupyterLab never rewrites the twin.
"""

import hashlib
from collections import Counter

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "name": "python", "pygments_lexer": "ipython3"}
FILTER = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "tags,-all"}


def to_text(notebook) -> str:
    """The twin of a notebook: its cells and their tags, no outputs and no other metadata."""
    import jupytext
    import nbformat

    bare = nbformat.v4.new_notebook(cells=[plain_cell(cell) for cell in notebook.cells])
    bare.metadata["jupytext"] = dict(FILTER)
    text = jupytext.writes(bare, fmt="py:percent")
    return text if text.endswith("\n") else text + "\n"


def from_text(text: str):
    """The notebook of a twin, not yet executed."""
    import jupytext
    import nbformat

    read = jupytext.reads(text, fmt="py:percent")
    notebook = nbformat.v4.new_notebook(cells=[plain_cell(cell) for cell in read.cells])
    return dress(notebook)


def plain_cell(cell):
    """A copy of a cell without outputs and without any metadata but its tags."""
    import nbformat

    make = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }[cell.cell_type]
    tags = list(cell.metadata.get("tags", []))
    return make(source=cell.source.strip("\n"), metadata={"tags": tags} if tags else {})


def dress(notebook):
    """Give a notebook the metadata that every lesson has, and ids that depend on its text alone."""
    import nbformat

    metadata = {"kernelspec": KERNEL, "language_info": LANGUAGE}
    notebook.metadata = nbformat.from_dict(metadata)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen = Counter()
    for cell in notebook.cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        seen[digest] += 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    return notebook


def sources_digest(notebook) -> str:
    """Stands for all code of a lesson: an executed lesson notes of which code its outputs are."""
    code = "\0".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode("utf8")).hexdigest()[:16]


def cells_of(notebook) -> list[tuple[str, str, tuple[str, ...]]]:
    """What a twin and its notebook must have in common: kind, text and tags of every cell."""
    return [
        (cell.cell_type, cell.source.strip("\n"), tuple(cell.metadata.get("tags", [])))
        for cell in notebook.cells
    ]


def first_difference(notebook, twin) -> str | None:
    """Where a notebook and the notebook of its twin part ways, in words; None when they agree."""
    ours, theirs = cells_of(notebook), cells_of(twin)
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), start=1):
        for what, left, right in zip(("kind", "text", "tags"), one, other, strict=True):
            if left != right:
                return f"cell {number}: the {what} differs"
    if len(ours) != len(theirs):
        return f"the notebook has {len(ours)} cells, its twin {len(theirs)}"
    return None
