"""Pictures: one file a figure, each with `draw(fig, data) -> update` and mostly `say(data) -> str`.

`draw` builds the artists once in the given Figure.  The `update` that it returns changes them
for new data and returns the changed ones, or None when limits or labels changed and the whole
figure must be drawn again.  The same two functions serve a static picture (`show`), a slider
(`course_lib.widgets.explore`) and a running training (`course_lib.widgets.live`).

Plots know no model: plain numbers and arrays in, numpy and matplotlib only, never pyplot.
"""

from course_lib.plots.show import Picture, show

__all__ = ["Picture", "show"]
