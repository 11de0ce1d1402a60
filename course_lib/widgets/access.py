"""What readers with a keyboard or a screen reader need and ipywidgets leave out."""

from pathlib import Path

import anywidget
import traitlets
from ipywidgets import Layout, VBox

_CODE = (Path(__file__).parent / "access.js").read_text(encoding="utf8")


class Access(anywidget.AnyWidget):
    """Invisible: names sliders, gives the picture its alt text, makes the caption a live region.

    Where an editor cannot load hand-written widgets, everything else works as well.

    Attributes:
        sentence: The alt text of the picture.
        sliders: How many sliders to wait for.
        captions: How many captions to wait for.
        announce: Whether changes of the caption are read aloud.
    """

    _esm = _CODE
    sentence = traitlets.Unicode().tag(sync=True)
    sliders = traitlets.Int().tag(sync=True)
    captions = traitlets.Int().tag(sync=True)
    announce = traitlets.Bool(True).tag(sync=True)

    def __init__(self, sliders: int = 0, captions: int = 0):
        super().__init__(sliders=sliders, captions=captions, layout=Layout(display="none"))


def course_box(children: list, access: Access) -> VBox:
    """A column of widgets that `access` looks after."""
    box = VBox([*children, access])
    box.add_class("course-widget")
    return box
