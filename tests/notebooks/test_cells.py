"""What every lesson's cells and stored outputs must be like."""

import getpass
import json
import re

LONGEST, LARGEST_KB = 25, 600
PATHS = re.compile(r"/home/\w|/Users/\w|/root\b|/work/|/tmp/|[A-Za-z]:\\+Users|site-packages")


def texts(cell):
    """All text in a cell's outputs; pictures, which are base64, may hold any letters."""
    for output in cell.outputs:
        yield output.get("text", "")
        yield from (value if isinstance(value, str) else json.dumps(value)
                    for kind, value in output.get("data", {}).items()
                    if not kind.startswith("image/") or kind == "image/svg+xml")


def test_no_cell_failed(code_cells):
    failed = [number for number, cell in code_cells
              if any(output.output_type == "error" for output in cell.outputs)]
    assert not failed


def test_no_warning_stands_in_the_outputs(code_cells):
    warned = [number for number, cell in code_cells
              if any(output.get("name") == "stderr" for output in cell.outputs)]
    assert not warned


def test_outputs_name_no_folder_and_no_user(code_cells):
    user = re.compile(rf"\b{re.escape(getpass.getuser())}\b")
    named = [number for number, cell in code_cells for text in texts(cell)
             if PATHS.search(text) or (user.pattern != r"\broot\b" and user.search(text))]
    assert not named


def test_no_cell_is_too_long_to_read(code_cells):
    assert not [number for number, cell in code_cells if len(cell.source.splitlines()) > LONGEST]


def test_no_cell_ends_in_a_semicolon(code_cells):
    """It hides the output in JupyterLab, but not where lessons are tested."""
    assert not [number for number, cell in code_cells if cell.source.rstrip().endswith(";")]


def test_the_file_is_small_enough_to_load_quickly(lesson):
    assert lesson.notebook.stat().st_size <= LARGEST_KB * 1000
