"""One number in fp16, bf16 and fp32: does it fit, and what lies next to it?"""

import math

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V

COLOURS = {"fp16": K, "bf16": Q, "fp32": V}
LIMITS, WINDOW = (-46, 41), 2.0  # powers of ten; percent


def draw_for(ranges):
    """Return a ``draw``; ``ranges`` has smallest, full and largest for each format."""
    names = list(ranges)

    def draw(fig, data):
        left, right = fig.subplots(1, 2, width_ratios=(3, 2), sharey=True)
        for row, name in enumerate(names):
            _bar(left, row, COLOURS[name], ranges[name])
        left.set(xlim=LIMITS, ylim=(2.6, -0.6), xlabel="size of the number, as a power of ten")
        left.set_yticks(range(len(names)), names)
        left.set_xticks(range(-40, 41, 10))
        left.set_title("What fits (light: fewer digits)")
        right.set(xlim=(-WINDOW, WINDOW), xlabel="distance from the number (% of it)")
        right.set_title("Its neighbours in each format")
        right.tick_params(left=False, labelleft=False)
        line = left.axvline(0, color=GREY, linewidth=1.5)
        right.axvline(0, color=GREY, linewidth=1.5)
        kept = [left.text(LIMITS[0] + 1, row + 0.44, "", color=GREY) for row in range(len(names))]
        dots = [right.plot([], [], "|", ms=16, mew=1.6, color=COLOURS[n])[0] for n in names]
        bands = [right.axhspan(row - 0.18, row + 0.18, color=COLOURS[n], alpha=0.35, visible=False)
                 for row, n in enumerate(names)]  # fmt: skip
        notes = [right.text(0, row - 0.25, "", ha="center") for row in range(len(names))]

        def update(data):
            power = math.log10(data.value)
            line.set_xdata([power, power])
            for row, name in enumerate(names):
                kept[row].set_text(f"kept as {number(data.stored[name])}")
                near, fits = data.neighbours[name], _fits(data, name)
                bands[row].set_visible(near is None and fits)
                notes[row].set_text(_note(near, fits))
                at = [] if near is None or not fits else 100 * np.asarray(near)
                dots[row].set_data(at, np.full(len(at), row))
            return [line, *kept, *dots, *bands, *notes]

        update(data)
        return update

    return draw


def say(data) -> str:
    """Say what each format keeps."""
    kept = ", ".join(f"{name} keeps {number(value)}" for name, value in data.stored.items())
    return f"Of {number(data.value)}: {kept}."


def number(value: float) -> str:
    """A number to seven digits; an overflow in words."""
    return "infinity" if math.isinf(value) else f"{value:.7g}"


def _bar(axes, row: int, colour: str, found) -> None:
    """Full precision dark, the sizes below it light."""
    low, full, high = (math.log10(size) for size in (found.smallest, found.full, found.largest))
    axes.plot(LIMITS, (row, row), color=FAINT, linewidth=1, zorder=0)
    axes.barh(row, full - low, 0.36, low, color=colour, alpha=0.35)
    axes.barh(row, high - full, 0.36, full, color=colour)


def _fits(data, name: str) -> bool:
    return data.stored[name] > 0 and math.isfinite(data.stored[name])


def _note(near, fits: bool) -> str:
    if not fits:
        return "does not fit"
    if near is None:
        return "too close to draw"
    return "" if len(near) else "none so near"
