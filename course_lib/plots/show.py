"""`show`: draw a figure once, as a picture with a sentence that stays in the saved notebook."""

import base64
from collections.abc import Callable
from typing import Any

from course_lib.plots.style import course_style, new_figure, png_of


class Picture:
    """A finished PNG and the sentence that says what it shows.

    Args:
        png: The picture.
        sentence: Its text alternative; also what a notebook without pictures shows.
        width: Width on the page, in CSS pixels.
    """

    def __init__(self, png: bytes, sentence: str, width: int):
        self.png, self.sentence, self.width = png, sentence, width

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"image/png": base64.b64encode(self.png).decode(), "text/plain": self.sentence}
        return data, {"image/png": {"alt": self.sentence, "width": self.width}}


def show(
    draw: Callable,
    data: Any,
    say: Callable[[Any], str] | None = None,
    size: tuple[float, float] = (9, 3),
    dpi: int = 100,
) -> Picture:
    """Draw `data` with a plot's own `draw` function and return the picture for display.

    Args:
        draw: `draw(fig, data)` of a plot module; the `update` it returns is not needed here.
        data: Whatever `draw` takes.
        say: `say(data)` gives the sentence; without it the picture has a bare description.
        size: Inches; one inch is 100 pixels on the page whatever `dpi` is.
        dpi: Dots per inch of the PNG; 200 doubles the sharpness and the size of the file.

    Example:
        >>> def draw(fig, data): fig.subplots().plot(data)
        >>> show(draw, [1, 4, 9], say=lambda data: f"{len(data)} squares")
        3 squares
    """
    sentence = say(data) if say else "A figure without a description."
    with course_style():
        figure, canvas = new_figure(size, dpi)
        draw(figure, data)
        canvas.draw()
        png = png_of(canvas, compress_level=9)
    return Picture(png, sentence, round(size[0] * 100))
