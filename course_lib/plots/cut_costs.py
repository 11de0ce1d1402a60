"""Two families of cuts: what each takes away of the possible, and leaves of the impossible."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, label_line, reference_line

_LOOKS = {"top-k": (K, "s", "--"), "top-p": (Q, "o", "-"), "temperature": (V, "^", ":")}


def draw(fig, data):
    """Draw a line a family, from ``{family: [(label, cost), ...], "no cut": cost}``."""
    axes = fig.subplots()
    for family, points in _families(data).items():
        colour, marker, dash = _LOOKS[family]
        lost = np.array([100 * cost.lost for _, cost in points])
        wrong = np.array([100 * cost.wrong for _, cost in points])
        axes.plot(lost, wrong, color=colour, marker=marker, linestyle=dash)
        dx, dy = {"top-k": (5, -13), "top-p": (-4, -15), "temperature": (6, 0)}[family]
        for (label, _), x, y in zip(points, lost, wrong, strict=True):
            label_line(axes, float(x), float(y), f"{family} {label}", colour, dx=dx, dy=dy)
    axes.set(xlabel="possible words that are lost (% of their true probability)",
             ylabel="impossible words that are left\n(% of the probability)")  # fmt: skip
    axes.set_xlim(-0.3, 1.12 * axes.get_xlim()[1])
    uncut = 100 * data["no cut"].wrong
    reference_line(axes, uncut, f"no cut: {uncut:.1f}%", at=1.0)
    axes.set_ylim(0, 1.12 * max(axes.get_ylim()[1], uncut))
    axes.annotate("better", (0.0, 0.0), (0.03, 0.04), xycoords="axes fraction", color=GREY)


def say(data) -> str:
    """Say what the ends of each family cost."""
    parts = [f"no cut leaves {data['no cut'].wrong:.1%} impossible"]
    for family, points in _families(data).items():
        (first, a), (last, b) = points[0], points[-1]
        parts.append(
            f"{family} from {first} ({a.lost:.1%} lost, {a.wrong:.1%} impossible) "
            f"to {last} ({b.lost:.1%}, {b.wrong:.1%})"
        )
    sentence = f"{'; '.join(parts)}."
    return sentence[0].upper() + sentence[1:]


def _families(data) -> dict:
    """The lines, without the point that belongs to none."""
    return {name: points for name, points in data.items() if name != "no cut"}
