"""A learning rate over the steps, and the loss of a small problem that is trained with it."""

import numpy as np

from course_lib.plots.style import GREY, K, Q

RATE_RANGE, LOSS_RANGE = (-0.115, 0.215), (0.015, 20.0)


def draw_for(total: int, beyond: int):
    """Return a ``draw`` for schedules of ``total`` steps, followed by ``beyond`` more."""

    def draw(fig, trial):
        left, right = fig.subplots(1, 2)
        for axes in (left, right):
            axes.set(xlim=(0, total + beyond), xlabel="step")
            axes.axvspan(total, total + beyond, color=GREY, alpha=0.12, linewidth=0)
        left.set(ylim=RATE_RANGE, ylabel="learning rate")
        left.axhline(0, color=GREY, linewidth=1)
        after = {"xycoords": left.get_xaxis_transform(), "va": "top", "color": GREY}
        left.annotate("after the end", (total + 4, 0.98), **after)
        right.set(yscale="log", ylim=LOSS_RANGE, ylabel="loss above the best possible")
        steps = np.arange(1, total + beyond + 1)
        (rate,) = left.plot(steps, steps, color=Q)
        (loss,) = right.plot(steps, steps, color=K)

        def update(trial):
            rate.set_ydata(trial.rates)
            loss.set_ydata(np.clip(trial.losses, *LOSS_RANGE))
            return [rate, loss]

        update(trial)
        return update

    return draw


def say_for(total: int):
    """Return a ``say`` for schedules of ``total`` steps."""

    def say(trial) -> str:
        return (
            f"Decay: {trial.decay}. The loss is {trial.losses[total - 1]:.2g} at step {total}, "
            f"where the schedule ends with a rate of {trial.rates[total - 1]:.2g}, and "
            f"{trial.losses[-1]:.2g} at step {len(trial.losses)}, with {trial.rates[-1]:.2g}."
        )

    return say
