"""Several models that learn to copy letters, and the loss of blind guessing."""

from course_lib.plots.race import draw_race, say_race
from course_lib.plots.style import GREY, K, Q, V

LOOKS = ((K, "-"), (K, "--"), (V, "-."), (Q, ":"), (GREY, "-"))
say = say_race


def draw_for(names, n_steps: int, chance: float, looks=LOOKS):
    """Return a ``draw``; ``chance`` is the loss of blind guessing."""
    return draw_race(names, n_steps, chance, "blind guessing", "nats per letter", looks)
