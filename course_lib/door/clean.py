"""What is taken out of an executed lesson, so that a second run changes only what it changed."""

import base64
import io
import re
import sys
import tempfile
from pathlib import Path

from course_lib.door.files import ROOT
from course_lib.door.twins import dress, sources_digest

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b", re.IGNORECASE)


def clean(notebook):
    """Keep sources, tags and outputs; drop timings, widget state, ids and paths of this machine."""
    for cell in notebook.cells:
        tags = list(cell.metadata.get("tags", []))
        cell.metadata = type(cell.metadata)({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = [clean_output(output) for output in cell.outputs]
    dress(notebook)
    notebook.metadata["course_lib"] = {"outputs_of": sources_digest(notebook)}
    return notebook


def clean_output(output):
    """One output without what differs from run to run or names this machine."""
    if "text" in output:
        output.text = clean_text(output.text)
    data = output.get("data", {})
    if len(data) > 1:
        data.pop(WIDGET_VIEW, None)  # a random id of a model that is gone; the picture stays
    if "image/png" in data:
        data["image/png"] = smaller_png(data["image/png"])
    for kind, value in data.items():
        if kind.startswith("text/") and isinstance(value, str):
            data[kind] = clean_text(value)
    output.get("metadata", {}).pop(WIDGET_VIEW, None)
    return output


def smaller_png(encoded: str) -> str:
    """The same pixels, packed as tightly as the format allows; as it was, if that is no gain."""
    from PIL import Image

    packed = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        image.save(packed, "PNG", optimize=True)
    again = base64.b64encode(packed.getvalue()).decode()
    return again if len(again) < len(encoded) else encoded


def clean_text(text: str) -> str:
    """Text with the folders of this machine and object addresses replaced by plain words."""
    for folder, name in _folders():
        text = text.replace(folder, name)
    return ADDRESS.sub("0x...", text)


def _folders() -> list[tuple[str, str]]:
    """This machine's folders, the longest first, and what a reader sees in their place."""
    places = {
        str(ROOT): "course",
        str(Path(sys.prefix)): "python",
        str(Path(sys.base_prefix)): "python",
        tempfile.gettempdir(): "tmp",
        str(Path.home()): "~",
    }
    return sorted(
        ((folder, name) for folder, name in places.items() if len(folder) > 3),
        key=lambda pair: -len(pair[0]),
    )
