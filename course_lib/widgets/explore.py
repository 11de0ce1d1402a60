"""`explore`: a few controls, one figure that follows them, and a sentence with the numbers."""

import time
from collections.abc import Callable
from typing import Any

from ipywidgets import Button, HBox, Image, Layout

from course_lib.widgets.access import Access, course_box
from course_lib.widgets.canvas import BlitCanvas
from course_lib.widgets.caption import Caption
from course_lib.widgets.controls import check_value, make_control, set_value
from course_lib.widgets.still import WithSentence, bundle

MAX_CONTROLS = 4


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
        if not 1 <= len(controls) <= MAX_CONTROLS:
            raise ValueError(
                f"explore takes 1 to {MAX_CONTROLS} controls, got {len(controls)}: a figure with"
                " more is hard to explore; make two"
            )
        self._compute, self._say = compute, say
        self.controls = {name: make_control(name, given) for name, given in controls.items()}
        self._start = self.values
        self.ms: list[float] = []
        self.error: Exception | None = None
        self.data = compute(**self.values)
        self._canvas = BlitCanvas(draw, self.data, size, dpi)
        self._build(continuous_update)
        self._show(self.data)

    @property
    def values(self) -> dict[str, Any]:
        """Where the controls stand; a front end may send 1.0000000000000002 for 1."""
        given = {name: widget.value for name, widget in self.controls.items()}
        return {name: round(v, 9) if isinstance(v, float) else v for name, v in given.items()}

    def set(self, **values) -> Any:
        """Move controls from Python, all at once, as a reader would, and return the new data.

        Raises:
            ValueError: for a name that is no control, or a value outside its range; nothing
                moves then.  Errors of `compute`, `draw` and `say` are raised too.
        """
        for name, value in values.items():
            if name not in self.controls:
                raise ValueError(f"{name} is no control of this figure: {list(self.controls)}")
            check_value(name, self.controls[name], value)
        self._watch(False)  # or each value would draw a picture of its own
        try:
            for name, value in values.items():
                set_value(name, self.controls[name], value)
        finally:
            self._watch(True)
        self._refresh()
        if self.error:
            raise self.error
        return self.data

    def reset(self) -> Any:
        """Put every control back to where it stood at first."""
        return self.set(**self._start)

    def _build(self, continuous_update: bool) -> None:
        """Put controls, picture and sentence into one box."""
        for widget in self.controls.values():
            if widget.has_trait("continuous_update"):
                widget.continuous_update = continuous_update
        reset = Button(description="Reset", layout=Layout(width="80px"))
        reset.on_click(self._on_reset)
        row = HBox([*self.controls.values(), reset])
        row.layout = Layout(flex_flow="row wrap", align_items="center")
        # Never give an Image a tooltip: in ipywidgets 8.1.9 the browser then fails to build it.
        self.image = Image(
            format="png", width=self._canvas.width, height=self._canvas.height,
            layout=Layout(max_width="100%", flex="0 0 auto"),
        )
        self._caption = Caption()
        sliders = sum("Slider" in type(widget).__name__ for widget in row.children)
        self._access = Access(sliders=sliders, captions=1)
        self.box = course_box([row, self.image, self._caption], self._access)
        self._watch(True)

    def _watch(self, on: bool) -> None:
        for widget in self.controls.values():
            (widget.observe if on else widget.unobserve)(self._on_move, "value")

    def _on_move(self, _change) -> None:
        self._refresh()

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
