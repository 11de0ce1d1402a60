import base64
import io
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from course_lib.door.clean import WIDGET_VIEW, clean, clean_text, smaller_png
from course_lib.door.files import ROOT

v4 = nbformat.v4
DOT = smaller_png(  # one black pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


def output(**data):
    made = v4.new_output("display_data", data=data)
    return made


def cleaned(cell, **metadata):
    return clean(v4.new_notebook(cells=[cell], metadata=metadata))


def test_timings_widget_state_and_versions_go_and_tags_stay():
    cell = v4.new_code_cell("x", metadata={"tags": ["claim"], "execution": {"started": "now"}})
    made = cleaned(cell, widgets={"state": 1}, language_info={"name": "python", "version": "3.11"},
                   kernelspec={"name": "mine", "display_name": "Ann's"})
    assert made.cells[0].metadata == {"tags": ["claim"]}
    assert "widgets" not in made.metadata and "version" not in made.metadata.language_info
    assert made.metadata.kernelspec.name == "python3"


def test_the_picture_of_a_widget_stays_and_its_random_id_goes():
    cell = v4.new_code_cell("x")
    view = {"model_id": "4711"}
    cell.outputs = [output(**{WIDGET_VIEW: view, "image/png": DOT, "text/plain": "loss 1.2"})]
    assert cleaned(cell).cells[0].outputs[0].data == {"image/png": DOT,
                                                      "text/plain": "loss 1.2"}


def test_outputs_and_execution_counts_stay():
    cell = v4.new_code_cell("x", execution_count=3)
    cell.outputs = [v4.new_output("stream", text="0.5\n"), output(**{"text/html": "<b>1</b>"})]
    made = cleaned(cell).cells[0]
    assert made.execution_count == 3 and made.outputs[0].text == "0.5\n"
    assert made.outputs[1].data == {"text/html": "<b>1</b>"}


@pytest.mark.parametrize("folder", [ROOT, Path.home(), Path(sys.prefix), tempfile.gettempdir()])
def test_folders_of_this_machine_go(folder):
    text = clean_text(f"read {folder}/a.txt twice")
    assert str(folder) not in text and text.endswith("/a.txt twice")


def test_addresses_go_and_numbers_stay():
    assert clean_text("<object object at 0x7f3a5c0e4d10>") == "<object object at 0x...>"
    assert clean_text("0x1F is 31, 0.5") == "0x1F is 31, 0.5"


def test_pictures_are_packed_tightly_and_keep_every_pixel():
    picture = Image.linear_gradient("L").convert("RGB")
    loose = io.BytesIO()
    picture.save(loose, "PNG", compress_level=0)
    given = base64.b64encode(loose.getvalue()).decode()
    cell = v4.new_code_cell("x", outputs=[output(**{"image/png": given})])
    made = cleaned(cell).cells[0].outputs[0].data["image/png"]
    assert len(made) < len(given) / 4
    with Image.open(io.BytesIO(base64.b64decode(made))) as image:
        assert image.tobytes() == picture.tobytes() and image.mode == "RGB"
    assert smaller_png(made) == made  # no second gain, no change
