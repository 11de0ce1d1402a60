"""Entropy against the temperature, and its slope."""

import numpy as np

from course_lib.plots.style import K, Q, label_line, reference_line


def draw(fig, data):
    """Draw entropy above its slope, for each named curve, over one logarithmic axis."""
    upper, lower = fig.subplots(2, 1, sharex=True)
    colours = (Q, K)
    for (name, curve), colour, dash in zip(data.items(), colours, ("-", "--"), strict=False):
        t = np.asarray(curve.temperatures)
        upper.plot(t, np.asarray(curve.entropy), color=colour, linestyle=dash)
        lower.plot(t, np.asarray(curve.slope), color=colour, linestyle=dash)
        top = int(np.argmax(np.asarray(curve.slope)))
        label_line(lower, float(t[top]), float(curve.slope[top]), name, colour, dx=6, dy=4)
    reference_line(upper, float(np.log(curve.n_words)), f"ln {curve.n_words}: all words alike")
    upper.set(ylabel="entropy (nats)", ylim=(0, 1.25 * np.log(curve.n_words)), xscale="log")
    lower.set(ylabel="slope (nats per T)", xlabel="temperature (logarithmic)")
    lower.set_ylim(bottom=0, top=1.25 * max(float(c.slope.max()) for c in data.values()))
    lower.set_xticks([0.1, 0.3, 1, 3, 10, 30], ["0.1", "0.3", "1", "3", "10", "30"])
    lower.minorticks_off()


def say(data) -> str:
    """Say where each curve is steepest."""
    parts = []
    for name, curve in data.items():
        top = int(np.argmax(np.asarray(curve.slope)))
        parts.append(f"{name} at temperature {float(curve.temperatures[top]):.2g}")
    return f"Entropy rises from 0 towards ln {curve.n_words}; steepest: {', '.join(parts)}."
