"""Runs that go through the same injury: their losses, and the gradient norm that gave notice."""

import math

import numpy as np

from course_lib.plots.style import ACCENT, GREY, TRAIN, VALIDATION, K, Q, V, reference_line

LOOKS = ((TRAIN, "-"), (K, "--"), (Q, "-."), (V, ":"), (VALIDATION, "-"), (VALIDATION, ":"),
         (ACCENT, "--"))  # fmt: skip
LOSSES, NORMS = (0.2, 40), (0.2, 400)


def draw_for(remedies, n_steps: int, onset: int, noticed: int, chance: float):
    """Return a ``draw`` of two panels; limits are fixed and what leaves them stays on the edge."""

    def draw(fig, history):
        axes = fig.subplots(1, 2)
        for panel, limits, label in zip(
            axes, (LOSSES, NORMS), ("loss on clean text (nats)", "gradient norm"), strict=True
        ):
            panel.set(xlim=(1, n_steps), yscale="log", ylim=limits, xlabel="step", ylabel=label)
            panel.set_yticks(*_ticks(limits))
            panel.minorticks_off()
            panel.axvline(onset, color=GREY, linewidth=1, linestyle=(0, (1, 2)))
            panel.axvline(noticed, color=GREY, linewidth=1, linestyle=(0, (1, 2)))
        for x, text in ((onset, "injury "), (noticed, " noticed")):
            side = "right" if text.endswith(" ") else "left"
            axes[0].text(x, 0.23, text, color=GREY, ha=side)
        reference_line(axes[0], chance, "blind guessing", at=1.0)
        lines = [
            [panel.plot([], [], color=c, linestyle=dash, linewidth=1.7, label=name)[0]
             for name, (c, dash) in zip(remedies, LOOKS, strict=False)]
            for panel in axes
        ]  # fmt: skip
        fig.legend(handles=lines[0], loc="outside right center", handlelength=3)

        def update(history):
            steps = [record.step for record in history]
            for name, loss, norm in zip(remedies, *lines, strict=True):
                loss.set_data(steps, np.clip([r.losses[name] for r in history], *LOSSES))
                norm.set_data(steps, np.clip([r.norms[name] for r in history], *NORMS))
            return [*lines[0], *lines[1]]

        update(history)
        return update

    return draw


def say(history) -> str:
    """Say where each run's loss stands, over its last ten steps, and which have ended."""
    if not history:
        return "The runs have not begun."
    ends = "; ".join(f"{name} {_end(history, name)}" for name in history[-1].losses)
    return f"Mean loss of the last ten steps before step {history[-1].step}: {ends}."


def _end(history, name: str) -> str:
    losses = [record.losses[name] for record in history[-10:]]
    mean = sum(losses) / len(losses)
    return f"{mean:.2f}" if math.isfinite(mean) else "not a number, the run is over"


def _ticks(limits) -> tuple[list[float], list[str]]:
    """Ones and threes within the limits, without exponents."""
    values = [v for v in (0.3, 1, 3, 10, 30, 100, 300) if limits[0] <= v <= limits[1]]
    return values, [f"{v:g}" for v in values]
