"""Several models that learn side by side: one loss curve each, and a line to compare with."""

import numpy as np

from course_lib.plots.style import reference_line

WINDOW = 5  # steps averaged into one point


def draw_race(names, n_steps: int, level: float, text: str, unit: str, looks, **place):
    """Return a ``draw`` for a race of these names over so many steps.

    Args:
        names: what the curves are called, in the order of the records.
        n_steps: the right edge.
        level: a loss, drawn as a line with this text; the upper edge is a quarter above it.
        unit: of the losses.
        looks: colour and dash of each name, in the same order.
        place: where the text stands, as for ``style.reference_line``.
    """

    def draw(fig, history):
        axes = fig.subplots()
        axes.set(xlim=(0, n_steps), ylim=(0, 1.25 * level))
        axes.set(xlabel="step", ylabel=f"loss ({unit})")
        reference_line(axes, level, text, **place)
        lines = [
            axes.plot([], [], color=colour, linestyle=dash, label=name)[0]
            for name, (colour, dash) in zip(names, looks, strict=False)
        ]
        fig.legend(handles=lines, loc="outside right center", handlelength=3)

        def update(history):
            steps = [record.step for record in history]
            for name, line in zip(names, lines, strict=True):
                line.set_data(steps, _smooth(history, name))
            return lines

        update(history)
        return update

    return draw


def say_race(history) -> str:
    """Say where each loss stands, over the last few steps."""
    if not history:
        return "The race has not begun."
    ends = "; ".join(f"{name} {_smooth(history, name)[-1]:.2g}" for name in history[-1].losses)
    return f"Loss at step {history[-1].step}, in nats: {ends}."


def _smooth(history, name: str) -> list[float]:
    """The mean loss of the last few steps up to each."""
    losses = np.array([record.losses[name] for record in history])
    return [float(losses[max(0, i - WINDOW + 1) : i + 1].mean()) for i in range(len(losses))]
