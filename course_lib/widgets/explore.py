"""`explore`: a few controls, one figure that follows them, and a sentence with the numbers."""

import time
from collections.abc import Callable
from typing import Any

from course_lib.widgets.access import Access, course_box
from course_lib.widgets.canvas import BlitCanvas
from course_lib.widgets.caption import Caption
from course_lib.widgets.control_group import ControlGroup, small_button
from course_lib.widgets.still import WithSentence, bundle


class Explorer(WithSentence):
    """What `explore` returns; the cell's last line shows it.

    Attributes:
        controls: The ipywidgets by name.
        data: What `compute` last returned.
        image: The ipywidgets Image with the current PNG.
        sentence: The caption under the figure.
        error: The exception of the last move, or None.
        ms: Kernel milliseconds of each move, without the way to the browser and back.
    """

    def __init__(self, compute, draw, say, controls, size, dpi, continuous_update):
        self._compute, self._say = compute, say
        self._group = ControlGroup(controls, self._refresh)
        self._group.follow_drags(continuous_update)
        self.controls = self._group.widgets
        self.ms: list[float] = []
        self.error: Exception | None = None
        self.data = compute(**self.values)
        self._canvas = BlitCanvas(draw, self.data, size, dpi)
        self._build()
        self._show(self.data)

    @property
    def values(self) -> dict[str, Any]:
        """Where the controls stand."""
        return self._group.values

    def set(self, **values) -> Any:
        """Move controls from Python, all at once, as a reader would, and return the new data.

        Raises:
            ValueError: for a name that is no control, or a value outside its range; nothing
                moves then.  Errors of `compute`, `draw` and `say` are raised too.
        """
        self._group.set(values)
        if self.error:
            raise self.error
        return self.data

    def reset(self) -> Any:
        """Put every control back to where it stood at first."""
        return self.set(**self._group.start)

    def _build(self) -> None:
        """Put controls, picture and sentence into one box."""
        self.image, self._caption = self._canvas.widget(), Caption()
        self._access = Access(sliders=self._group.n_sliders, captions=1)
        row = self._group.row(small_button("Reset", self._on_reset))
        self.box = course_box([row, self.image, self._caption], self._access)

    def _on_reset(self, _button) -> None:
        try:
            self.reset()
        except Exception as error:  # the reader sees it in the sentence, as after any move
            self.error = error

    def _refresh(self) -> None:
        """Compute, draw and say; an error becomes the sentence, because a callback's own
        traceback would go to a log that no reader opens.
        """
        start = time.perf_counter()
        try:
            data = self._compute(**self.values)
            self._show(data)
            self.data, self.error = data, None
        except Exception as error:
            self.error = error
            where = ", ".join(f"{name} = {value}" for name, value in self.values.items())
            self._write(
                f"No picture for {where}. {type(error).__name__}: {error}."
                " The picture above is still the one before."
            )
        self.ms.append(1e3 * (time.perf_counter() - start))

    def _show(self, data: Any) -> None:
        sentence = self._say(data)
        if not isinstance(sentence, str):
            raise TypeError(f"say must return text, got {sentence!r}")
        self.image.value = self._canvas.png(data)
        self._write(sentence)

    def _write(self, sentence: str) -> None:
        self.sentence = sentence
        self._caption.write(sentence)
        self._access.sentence = sentence

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self.box, self.image, self.sentence, self._canvas.width)


def explore(
    compute: Callable[..., Any],
    draw: Callable,
    say: Callable[[Any], str],
    size: tuple[float, float] = (9, 3),
    dpi: int = 100,
    continuous_update: bool = True,
    **controls: Any,
) -> Explorer:
    """Let a reader move the arguments of `compute` and see the figure and the sentence follow.

    Args:
        compute: Pure: the controls' values in, data out.
        draw: `draw(fig, data) -> update` of a plot module.
        say: `say(data)`: one sentence with the numbers; caption, alt text and text output.
        size: Inches; one inch is 100 pixels on the page.
        dpi: Dots per inch; 200 is sharper and about a third slower.
        continuous_update: Follow while a slider is dragged; False draws after the release,
            for a `compute` that takes more than about 150 ms.
        **controls: One to four: `(lo, hi, step, value)`, `control(...)`, `choice(...)`, a bool,
            a list, a dict or any ipywidget that has a value.

    Example:
        >>> def draw(fig, data):
        ...     (line,) = fig.subplots().plot(data)
        ...     return lambda data: (line.set_ydata(data), [line])[1]
        >>> ramp = explore(lambda slope: [0, slope], draw, str, slope=(0, 5, 1, 2))
        >>> ramp
        [0, 2]
        >>> ramp.set(slope=3)
        [0, 3]
    """
    return Explorer(compute, draw, say, controls, size, dpi, continuous_update)
