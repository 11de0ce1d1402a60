"""What a lesson shows of the library is what stands there now, not when the lesson was run."""

from functools import cache

from course_lib.door.files import ROOT


@cache
def library():
    """All lines of the library, without the blanks around them."""
    texts = (path.read_text(encoding="utf8") for path in (ROOT / "course_lib").rglob("*.py"))
    return {line.strip() for text in texts for line in text.splitlines()}


def shown(cell):
    """The lines that ``show_source`` shows: of its outputs, those in two forms, text and HTML."""
    for output in cell.outputs:
        data = output.get("data", {})
        if "show_source(" in cell.source and "text/html" in data:
            yield from data["text/plain"].splitlines()


def test_the_lines_shown_are_lines_of_the_library(code_cells):
    for number, cell in code_cells:
        stale = [line for line in shown(cell) if line.strip() not in library()]
        assert not stale, (number, stale)
