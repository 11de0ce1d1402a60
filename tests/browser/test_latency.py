"""`explore` against `interact` and `plt.show`: the same figures, in the same run."""

import statistics

from nbbrowser import first_sliders, keyboard_steps
from nbbrowser.sources import sources_of

# The usual way to do it, put in the place of ours before a lesson imports it.
INTERACT = '''
import sys

import ipywidgets
import matplotlib.pyplot as plt

import course_lib.widgets
from course_lib.plots.style import RC
from course_lib.widgets.controls import make_control

made = []


def with_interact(compute, draw, say, size=(9, 3), dpi=100, continuous_update=True, **controls):
    def show(**values):
        with plt.rc_context(RC):
            data = compute(**values)
            draw(plt.figure(figsize=size, dpi=dpi, layout="constrained"), data)
            plt.show()
            print(say(data))

    widgets = {name: make_control(name, given) for name, given in controls.items()}
    made.append(ipywidgets.interactive(show, **widgets))
    return made[-1]


sys.modules["course_lib.widgets.explore"].explore = with_interact
course_lib.widgets.explore = with_interact
'''

WITH_SLIDERS = "sum(any('Slider' in type(c).__name__ for c in m.children) for m in made)"


ROUNDS = 3


def test_explore_needs_less_than_half_the_time_of_interact(lesson, open_notebook):
    """The first of a lesson's tests (by this file's name): its sliders stand where they start."""
    name, ours = lesson.name, lesson
    theirs = open_notebook(f"{name}_interact", [INTERACT, *sources_of(name)])
    theirs.run_all()
    assert ours.problems() == theirs.problems() == []
    pairs = list(zip(first_sliders(ours), first_sliders(theirs), strict=True))
    assert len(pairs) == theirs.run_in_kernel(WITH_SLIDERS), "not every figure was compared"
    for our_slider, their_slider in pairs:
        ratios = ratios_of((ours, our_slider), (theirs, their_slider))
        print(f"{name}: explore's time over interact's, by round: {ratios}")
        assert statistics.median(ratios) < 0.5, f"explore's time over interact's: {ratios}"


def ratios_of(ours, theirs):
    """Take turns, so that what slows the machine down slows both; a clear first round is enough."""
    ratios = []
    while len(ratios) < ROUNDS and not (ratios and ratios[0] < 0.5):
        fast, slow = (median(*each) for each in (ours, theirs))
        ratios.append(round(fast / slow, 2))
    return ratios


def median(notebook, slider):
    """Milliseconds from a key press to the last change of the picture."""
    notebook.page.bring_to_front()
    return keyboard_steps(notebook, slider, n=3).median
