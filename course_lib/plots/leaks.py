"""Loss curves of several objectives on random tokens, with the floor for whoever cannot peek."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, reference_line

LOOKS = ((K, "-"), (V, "-"), (Q, "--"), (GREY, "-."), (K, ":"))
WINDOW = 5  # steps averaged into one point


def draw_for(names, n_steps: int, floor: float):
    """Return a ``draw`` for a race of these names over so many steps.

    Args:
        names: what the curves are called, in the order of the records.
        n_steps: the right edge.
        floor: the loss below which nobody gets who does not see the answer.
    """

    def draw(fig, history):
        axes = fig.subplots()
        axes.set(xlim=(0, n_steps), ylim=(0, 1.25 * floor))
        axes.set(xlabel="step", ylabel="loss (nats per token)")
        reference_line(axes, floor, "floor without peeking", at=0.3, below=True)
        lines = [
            axes.plot([], [], color=colour, linestyle=dash, label=name)[0]
            for name, (colour, dash) in zip(names, LOOKS, strict=False)
        ]
        fig.legend(handles=lines, loc="outside right center", handlelength=3)

        def update(history):
            for name, line in zip(names, lines, strict=True):
                line.set_data([r.step for r in history], _smooth(history, name))
            return lines

        update(history)
        return update

    return draw


def say(history) -> str:
    """Say where each loss stands, over the last few steps."""
    if not history:
        return "The race has not begun."
    ends = "; ".join(f"{name} {_smooth(history, name)[-1]:.2g}" for name in history[-1].losses)
    return f"Loss at step {history[-1].step}, in nats: {ends}."


def _smooth(history, name: str) -> list[float]:
    """The mean loss of the last few steps up to each."""
    losses = np.array([record.losses[name] for record in history])
    return [float(losses[max(0, i - WINDOW + 1) : i + 1].mean()) for i in range(len(losses))]
