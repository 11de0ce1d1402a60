"""`BlitCanvas`: one Matplotlib figure, redrawn fast, as PNG bytes."""

import threading
from collections.abc import Callable
from typing import Any

import ipywidgets
from matplotlib.artist import Artist
from matplotlib.cbook import flatten

from course_lib.plots.style import course_style, new_figure, png_of

# Matplotlib is not safe with threads, and a front end may be set to run slider callbacks in one.
_ONE_AT_A_TIME = threading.RLock()


class BlitCanvas:
    """Keeps a figure and draws again only the artists that a plot's `update` says it changed.

    Axes, ticks and labels cost about three times as much to draw as all that moves, so they are
    drawn once and kept as a background ("blitting").  Artists that move are drawn above the
    ones that do not, so a plot's `update` returns also what must lie on top of a moving artist,
    for example the words on a heat map; the frame of the axes is taken care of here.

    Args:
        draw: `draw(fig, data) -> update` of a plot module.
        data: The first data.
        size: Inches.
        dpi: Dots per inch.
    """

    def __init__(
        self,
        draw: Callable,
        data: Any,
        size: tuple[float, float] = (9, 3),
        dpi: int = 100,
    ):
        self._moving: list[Artist] = []
        self._background = None
        with _ONE_AT_A_TIME, course_style():
            self.figure, self._canvas = new_figure(size, dpi)
            self._update = draw(self.figure, data)
        if not callable(self._update):
            raise TypeError(f"draw must return its update function, got {self._update!r}")
        self.width, self.height = (round(inches * 100) for inches in size)

    def png(self, data: Any) -> bytes:
        """The picture of `data`."""
        with _ONE_AT_A_TIME, course_style():
            changed = self._update(data)
            everything = changed is None or self._background is None
            new = self._new_among(flatten([changed or ()]))
            if everything or new:
                self._draw_background(new)
            self._draw_moving()
            return self._encode()

    def widget(self) -> ipywidgets.Image:
        """What shows a PNG of this size on the page, and keeps its place while there is none."""
        # Never give an Image a tooltip: in ipywidgets 8.1.9 the browser then fails to build it.
        return ipywidgets.Image(
            format="png", width=self.width, height=self.height,
            layout=ipywidgets.Layout(max_width="100%", flex="0 0 auto"),
        )

    def _new_among(self, changed) -> list[Artist]:
        """Those that never moved before, and the frames of their axes, which must lie on top."""
        new = [artist for artist in changed if artist not in self._moving]
        frames = [spine for a in new if a.axes for spine in a.axes.spines.values()]
        frames = [spine for spine in frames if spine.get_visible()]
        return list(dict.fromkeys([*new, *(f for f in frames if f not in self._moving)]))

    def _draw_background(self, new_moving: list[Artist]) -> None:
        """Draw all that stands still, and keep it."""
        for artist in new_moving:
            artist.set_animated(True)  # so that canvas.draw() leaves it out
        self._moving = sorted([*self._moving, *new_moving], key=Artist.get_zorder)
        self._canvas.draw()
        self.figure.set_layout_engine("none")  # hold the axes where they are: nothing jumps
        self._background = self._canvas.copy_from_bbox(self.figure.bbox)

    def _draw_moving(self) -> None:
        self._canvas.restore_region(self._background)
        for artist in self._moving:
            (artist.axes or self.figure).draw_artist(artist)

    def _encode(self) -> bytes:
        """PNG with little compression, which is what takes time."""
        return png_of(self._canvas, compress_level=1)
