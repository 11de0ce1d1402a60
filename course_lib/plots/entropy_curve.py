"""Entropy against the temperature, and its slope along a logarithmic axis."""

import numpy as np

from course_lib.plots.style import K, Q, label_line, reference_line


def draw(fig, data):
    """Draw entropy above its slope, for each named curve, over one logarithmic axis."""
    upper, lower = fig.subplots(2, 1, sharex=True)
    colours = (Q, K)
    looks = zip(data.items(), colours, ("-", "--"), (8, -42), strict=False)  # labels: right, left
    for (name, curve), colour, dash, dx in looks:
        t = np.asarray(curve.temperatures)
        upper.plot(t, np.asarray(curve.entropy), color=colour, linestyle=dash)
        rise = _rise(curve)
        lower.plot(t, rise, color=colour, linestyle=dash)
        top = int(np.argmax(rise))
        label_line(lower, float(t[top]), float(rise[top]), name, colour, dx=dx, dy=4)
    reference_line(upper, float(np.log(curve.n_words)), f"ln {curve.n_words}: all words alike")
    upper.set(ylabel="entropy (nats)", ylim=(0, 1.25 * np.log(curve.n_words)), xscale="log")
    lower.set(ylabel="T · slope\n(nats per unit of ln T)", xlabel="temperature (logarithmic)")
    lower.set_ylim(bottom=0, top=1.25 * max(float(_rise(c).max()) for c in data.values()))
    lower.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    lower.minorticks_off()


def say(data) -> str:
    """Say where each curve is steepest."""
    parts = []
    for name, curve in data.items():
        top = int(np.argmax(_rise(curve)))
        parts.append(f"{name} at temperature {float(curve.temperatures[top]):.2g}")
    return f"Entropy rises from 0 towards ln {curve.n_words}; steepest here: {', '.join(parts)}."


def _rise(curve) -> np.ndarray:
    """The slope of what is drawn: dH / d ln T = T dH/dT."""
    return np.asarray(curve.temperatures) * np.asarray(curve.slope)
