"""Variety and sense against the temperature."""

import numpy as np

from course_lib.plots.style import K, Q, V, label_line, reference_line


def draw(fig, data):
    """Draw distinct-4 and the share of possible stories, also after a cut at temperature 1.

    The data are ``(by_temperature, reference, (label, cut))``.
    """
    written, reference, (cut_label, cut) = data
    temperatures = np.array(list(written))
    left, right = fig.subplots(1, 2, sharex=True)
    for axes, name, colour, label, known in (
        (left, "distinct", Q, "different runs of four words", reference.distinct),
        (right, "possible", K, "stories that the grammar can tell", reference.possible),
    ):
        shares = np.array([getattr(found, name) for found in written.values()])
        axes.plot(temperatures, shares, color=colour, marker="o")
        height = getattr(cut, name)
        axes.plot([1.0], [height], color=V, marker="D", linestyle="none")
        label_line(axes, 1.0, float(height), cut_label, V, dx=8, dy=-18 if axes is left else 6)
        for t, share in zip(temperatures[::2], shares[::2], strict=True):
            dy = -6 if axes is left and t == temperatures[0] else 10  # the line rises steeply there
            label_line(axes, float(t), float(share), f"{share:.0%}", colour, dx=8, dy=dy)
        reference_line(axes, known, f"the grammar's own: {known:.0%}", at=1.0, below=axes is left)
        axes.set(xlabel="temperature", ylim=(0, 1.12), title=label)
        axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])


def say(data) -> str:
    """Both shares at every temperature."""
    written, reference, (label, cut) = data
    rows = [f"T = {t:g}: {w.distinct:.0%} and {w.possible:.0%}" for t, w in written.items()]
    return (
        f"Different runs of four words, and possible stories. {'; '.join(rows)}; "
        f"T = 1, {label}: {cut.distinct:.0%} and {cut.possible:.0%}; "
        f"the grammar's own stories: {reference.distinct:.0%} and {reference.possible:.0%}."
    )
