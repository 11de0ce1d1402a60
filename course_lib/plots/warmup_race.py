"""Several models that learn the same task side by side: one loss curve each."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, reference_line

LOOKS = ((K, "-"), (K, "--"), (V, "-."), (Q, ":"), (GREY, "-"))
WINDOW = 5  # steps averaged into one point


def draw_for(names, n_steps: int, chance: float, looks=LOOKS):
    """Return a ``draw`` for a race of these names over so many steps.

    Args:
        names: what the curves are called, in the order of the records.
        n_steps: the right edge.
        chance: the loss of blind guessing, drawn as a line.
        looks: colour and dash of each name, in the same order.
    """

    def draw(fig, history):
        axes = fig.subplots()
        axes.set(xlim=(0, n_steps), ylim=(0, 1.25 * chance))
        axes.set(xlabel="step", ylabel="loss (nats per letter)")
        reference_line(axes, chance, "blind guessing", at=0.0)
        lines = [
            axes.plot([], [], color=colour, linestyle=dash, label=name)[0]
            for name, (colour, dash) in zip(names, looks, strict=False)
        ]
        fig.legend(handles=lines, loc="outside right center", handlelength=3)

        def update(history):
            for name, line in zip(names, lines, strict=True):
                line.set_data(*_smooth(history, name))
            return lines

        update(history)
        return update

    return draw


def say(history) -> str:
    """Say where each loss stands, over the last few steps."""
    if not history:
        return "The race has not begun."
    ends = (f"{n} {_smooth(history, n)[1][-1]:.2g}" for n in history[-1].losses)
    return f"Loss at step {history[-1].step}, in nats: {'; '.join(ends)}."


def _smooth(history, name: str):
    """Steps, and the mean loss of the last few steps up to each."""
    losses = np.array([record.losses[name] for record in history])
    means = [losses[max(0, i - WINDOW + 1) : i + 1].mean() for i in range(len(losses))]
    return [record.step for record in history], means
