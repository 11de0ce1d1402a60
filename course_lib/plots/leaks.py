"""Loss curves of several objectives on random tokens, with the floor for whoever cannot peek."""

from course_lib.plots.race import draw_race, say_race
from course_lib.plots.style import GREY, K, Q, V

LOOKS = ((K, "-"), (V, "-"), (Q, "--"), (GREY, "-."), (K, ":"))
say = say_race


def draw_for(names, n_steps: int, floor: float):
    """Return a ``draw``; nobody who does not see the answer gets below ``floor``."""
    return draw_race(
        names, n_steps, floor, "floor without peeking", "nats per token", LOOKS, at=0.3, below=True
    )
