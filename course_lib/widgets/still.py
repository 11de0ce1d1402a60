"""The sentence of a figure as an output of its own, for pages where no widget runs.

GitHub and nbconvert show one form of each output.  Of picture and sentence that is the picture,
so the sentence gets a second output: nothing at all where widgets run, text where they do not.
"""

import base64

from IPython.display import display
from ipywidgets import HTML, Image, Layout, Widget


def bundle(box: Widget, image: Image, sentence: str, width: int) -> tuple[dict, dict]:
    """One output in three forms: the live view, a picture, and the sentence."""
    picture = base64.b64encode(image.value).decode()
    data = {**box._repr_mimebundle_(), "image/png": picture, "text/plain": sentence}
    return data, {"image/png": {"alt": sentence, "width": width}}


class StillPicture:
    """An output that is invisible beside a live widget, and a picture everywhere else."""

    def __init__(self, image: Image, sentence: str, width: int):
        nothing = HTML(layout=Layout(display="none"))
        self._bundle = bundle(nothing, image, sentence, width)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self._bundle


class StillSentence:
    """An output that is invisible beside a live widget, and the sentence everywhere else."""

    def __init__(self, sentence: str):
        self.sentence = sentence
        self._nothing = HTML(layout=Layout(display="none"))

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {**self._nothing._repr_mimebundle_(), "text/plain": self.sentence}


class WithSentence:
    """Makes an object that has a picture show its sentence, its ``repr``, behind it."""

    def _ipython_display_(self) -> None:
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)
        display(StillSentence(repr(self)))
