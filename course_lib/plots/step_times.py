"""Time for one more token against the length of the text, with a cache and without."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, Q, label_line


def draw(fig, data):
    """Draw a ``StepTimes``: both axes logarithmic, so that a power of the length is a line."""
    axes = fig.subplots()
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel="tokens in the text (logarithmic)")
    axes.set_ylabel("milliseconds for one more\n(logarithmic)")
    lengths = np.asarray(data.lengths)
    for name, seconds, colour, mark in (
        ("all read anew", data.anew, GREY, "s"),
        ("with the cache", data.kept, Q, "o"),
    ):
        ms = 1e3 * np.asarray(seconds)
        axes.plot(lengths, ms, color=colour, marker=mark)
        label_line(axes, float(lengths[-1]), float(ms[-1]), name, colour, dx=10)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    low, high = 1e3 * np.asarray(data.kept).min(), 1e3 * np.asarray(data.anew).max()
    axes.set(xlim=(0.85 * lengths[0], 2.4 * lengths[-1]), ylim=(low / 2, 2 * high))
    ticks = [n * 10**p for p in range(-2, 5) for n in (1, 2, 5)]
    axes.set_yticks([t for t in ticks if low / 2 <= t <= 2 * high])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT)


def say(data) -> str:
    """Say both times at both ends."""
    first, last = data.lengths[0], data.lengths[-1]
    anew, kept = (1e3 * np.asarray(seconds) for seconds in (data.anew, data.kept))
    return (
        f"From {first} to {last} tokens, one more token takes {anew[0]:.1f} to {anew[-1]:.1f} ms "
        f"when all is read anew, and {kept[0]:.1f} to {kept[-1]:.1f} ms with the cache."
    )
