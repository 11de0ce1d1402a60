"""The race of lesson 65: letters that can be known, for models that are graded more or less."""

from course_lib.plots.race import draw_race, say_race
from course_lib.plots.style import K, Q

LOOKS = ((K, "-"), (K, ":"), (Q, "--"))
say = say_race


def draw_for(names, n_steps: int, guessing: float):
    """Return a ``draw``; who knows nothing stays at ``guessing``."""
    return draw_race(names, n_steps, guessing, "guessing", "nats a letter", LOOKS, at=0.98)
