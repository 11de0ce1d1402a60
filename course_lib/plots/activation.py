"""An activation's curve, its slope, and the units that get no slope any more."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V, label_line

LOOKS = {"ReLU": (K, "--", "s"), "GELU": (Q, "-", "o"), "SiLU": (V, "-.", "^")}
EDGE = 6.0  # of the axis of inputs


def draw(fig, data):
    """Draw one ``Bend``: curve and inputs, slope and inputs, share of dead units of each kind."""
    left, middle, right = fig.subplots(1, 3, width_ratios=(1, 1, 0.85))
    curve, bell = _curve(left, data, data.y, (-1.2, 6.2))
    left.set(ylabel="output", yticks=[0, 2, 4, 6])
    slope, second_bell = _curve(middle, data, data.slope, (-0.25, 1.3))
    middle.set(ylabel="slope", yticks=[0, 0.5, 1])
    title = left.set_title(data.name)
    middle.set_title("its slope")
    bars, numbers = _bars(right, data)

    def update(data):
        colour, dash, _ = LOOKS[data.name]
        for line, values in ((curve, data.y), (slope, data.slope)):
            line.set(ydata=np.asarray(values), color=colour, linestyle=dash)
        heights = _inputs(data)
        for shape, low, share in ((bell, -1.2, 1.6), (second_bell, -0.25, 0.35)):
            shape.set_data(data.x, np.full(len(heights), low), low + share * heights)
        title.set_text(data.name)
        for bar, number, share in zip(bars, numbers, data.dead.values(), strict=True):
            bar.set_width(share)
            number.set_text(f"{share:.0%}")
            number.set_x(share + 0.03)
        return [curve, slope, bell, second_bell, title, *bars, *numbers]

    update(data)
    return update


def say(data) -> str:
    """Say where the inputs lie and how many units are dead, for each function."""
    dead = ", ".join(f"{name} {share:.0%}" for name, share in data.dead.items())
    straight = ", ".join(f"{name} {share:.0%}" for name, share in data.straight.items())
    return (
        f"{data.name}, inputs around {data.shift:g} with a spread of {data.spread:g}. Dead units: "
        f"{dead}. Share of the outputs' variance that a straight line explains: {straight}."
    )


def draw_dead(fig, data):
    """Draw the share of dead units against the shift; ``data`` is ``(shifts, {name: shares})``."""
    shifts, kinds = data
    axes = fig.subplots()
    axes.set(xlabel="mean of the inputs (their spread is 1)", ylim=(-0.03, 1.08))
    axes.set_ylabel("share of dead units")
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    for name, shares in kinds.items():
        colour, dash, marker = LOOKS[name]
        shares = np.asarray(shares)
        axes.plot(shifts, shares, color=colour, linestyle=dash, marker=marker, markersize=5)
        half = int(np.abs(shares - 0.5).argmin())
        label_line(axes, float(shifts[half]), float(shares[half]), name, colour, dx=8, dy=6)


def say_dead(data) -> str:
    """Say from which shift on half of the units are dead."""
    shifts, kinds = data
    parts = []
    for name, shares in kinds.items():
        dead = [shift for shift, share in zip(shifts, shares, strict=True) if share >= 0.5]
        parts.append(f"{name} {f'from {max(dead):g} down' if dead else 'nowhere here'}")
    return f"Half of the units or more are dead: {', '.join(parts)}."


def draw_errors(fig, data):
    """Draw how far short forms are from GELU; ``data`` is ``(x, {name: differences})``."""
    x, forms = data
    panels = np.atleast_1d(fig.subplots(1, len(forms)))
    for axes, (name, errors), colour in zip(panels, forms.items(), (Q, K, V), strict=False):
        errors = np.asarray(errors)
        axes.plot(x, errors, color=colour)
        worst = int(np.abs(errors).argmax())
        axes.plot(x[worst], errors[worst], "o", color=colour)
        top = 1.35 * np.abs(errors).max()
        axes.set(xlabel="x", ylim=(-top, top))
        axes.set_title(f"{name}, at most {np.abs(errors).max():.3g} off")
        axes.axhline(0, color=FAINT, linewidth=1, zorder=0)
    panels[0].set_ylabel("form less GELU")


def say_errors(data) -> str:
    """Say the largest error of each form and where it is."""
    x, forms = data
    parts = []
    for name, errors in forms.items():
        worst = int(np.abs(np.asarray(errors)).argmax())
        parts.append(f"{name} {abs(float(errors[worst])):.3g} at x = {float(x[worst]):.2f}")
    return f"Largest distance from GELU: {', '.join(parts)}."


def draw_ratios(fig, data):
    """Draw intervals of loss ratios, a row each; ``data`` is ``(rows, who, whom)``.

    A row is ``(words, Interval)``; left of 1, the loss of ``who`` is the smaller one.
    """
    rows, who, whom = data
    axes = fig.subplots()
    for place, (_, found) in enumerate(rows):
        axes.plot([found.low, found.high], [place, place], color=Q, linewidth=3)
        axes.plot(found.mean, place, "o", color=Q, markersize=6)
    axes.set_yticks(range(len(rows)), [words for words, _ in rows])
    low = min(0.4, *(0.8 * found.low for _, found in rows))
    ticks = (0.5, 0.7, 1, 1.4, 2) if low == 0.4 else (0.05, 0.1, 0.2, 0.5, 1, 2)
    axes.set(xscale="log", ylim=(len(rows) - 0.5, -0.8), xlim=(low, 2.5))
    axes.set_xticks([t for t in ticks if t > low], [f"{t:g}" for t in ticks if t > low])
    axes.minorticks_off()
    axes.axvline(1, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), zorder=0)
    axes.set_xlabel(f"loss of {who} over loss of {whom} (geometric mean, 95% interval)")
    for words, at, side in ((f"{who} ahead", 0.97, "right"), (f"{whom} ahead", 1.03, "left")):
        axes.text(at, -0.5, words, ha=side, va="center", color=GREY)


def say_ratios(data) -> str:
    """Say every interval."""
    rows, who, whom = data
    parts = [f"{words} {row.mean:.2f} ({row.low:.2f} to {row.high:.2f})" for words, row in rows]
    return f"Loss of {who} over loss of {whom}, 95% intervals: {'; '.join(parts)}."


def _curve(axes, data, values, limits):
    colour, dash, _ = LOOKS[data.name]
    axes.set(xlim=(-EDGE, EDGE), ylim=limits, xticks=[-6, -3, 0, 3, 6])
    axes.set_xlabel("input (grey: where they lie)")
    flat = np.full(len(data.x), limits[0])
    bell = axes.fill_between(data.x, flat, flat, color=FAINT, linewidth=0, zorder=0)
    axes.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    (line,) = axes.plot(data.x, np.asarray(values), color=colour, linestyle=dash)
    return line, bell


def _inputs(data):
    """The bell of the inputs, as high as 1 at its top whatever its width."""
    return np.exp(-(((np.asarray(data.x) - data.shift) / data.spread) ** 2) / 2)


def _bars(axes, data):
    rows = np.arange(len(data.dead))
    bars = axes.barh(rows, 0 * rows, height=0.55, color=[LOOKS[name][0] for name in data.dead])
    numbers = [axes.text(0, row, "", va="center", color=GREY) for row in rows]
    axes.set(xlim=(0, 1.25), ylim=(len(rows) - 0.5, -0.5), xlabel="share of 512 units")
    axes.set_yticks(rows, list(data.dead))
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title("dead units")
    return list(bars), numbers
