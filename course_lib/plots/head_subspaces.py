"""How the subspaces of heads lie to each other: the cosines of all their principal angles."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, label_line


def draw(fig, data):
    """Draw the histogram of the cosines for random heads, and where right angles would lie."""
    cosines = np.asarray(data.cosines).ravel()
    axes = fig.subplots()
    axes.set(xlim=(-0.02, 1), xlabel="cosine of a principal angle between two heads")
    axes.set_ylabel("share of the angles")
    shares, edges = np.histogram(cosines, np.linspace(0, 1, 41))
    axes.stairs(shares / shares.sum(), edges, fill=True, color=Q)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
    axes.set_ylim(0, 1.5 * axes.get_ylim()[1])
    top = axes.get_ylim()[1]
    axes.axvline(0, color=K, linewidth=3)
    label_line(axes, 0, 0.93 * top, "right angles: all would lie here", K, dx=6)
    root = data.expected**0.5
    axes.axvline(root, color=GREY, linestyle=(0, (4, 3)), linewidth=1.2, ymax=0.84)
    label_line(axes, root, 0.8 * top, "root of the mean square, predicted", GREY, dx=6)


def say(data) -> str:
    """Say the mean cos^2 and what was predicted."""
    return (
        f"The mean cos^2 of all principal angles is {data.mean_square:.4f}; d_k / d is "
        f"{data.expected:.4f}, right angles would give 0. The largest cosine is "
        f"{float(np.asarray(data.cosines).max()):.2f}. Together the heads span "
        f"{data.joint_rank} of {data.d_model} dimensions."
    )
