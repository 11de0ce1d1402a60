"""What was measured when the course was made, and the same of a run that is watched now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.training.recipes import Run

Looks = tuple[list[float], list[float]]  # tokens read, losses


@dataclass(frozen=True)
class RecordedLook:
    """One look of a recorded run, with what a plot of a run that is watched asks of a step.

    Attributes:
        measured: all figures on held-out text.
        parts: of the training loss, which a log does not keep.
    """

    step: int
    total_steps: int
    measured: Mapping[str, float]
    parts: Mapping[str, float] = field(default_factory=dict)


def looks_with_figures(log: Mapping[str, Any]) -> list[RecordedLook]:
    """Give the looks of a recorded run with all their figures, one after the other."""
    total, figures = log["settings"]["total_steps"], log["looks"]
    return [
        RecordedLook(step, total, {name: values[i] for name, values in figures.items()})
        for i, step in enumerate(log["steps"])
    ]


def looks_of(run: Run) -> Looks:
    """Give the tokens read and the held-out loss at each look of a run so far.

    The look after the very first step is left out: over a logarithmic axis it would take half
    of a figure.
    """
    looks = [record for record in run.records if record.validation_loss is not None]
    steps, losses = [look.step for look in looks], [look.validation_loss for look in looks]
    return _over_tokens(steps, losses, run.tokens_seen(), run.state.step)


def looks_of_log(log: Mapping[str, Any]) -> Looks:
    """Give the same of a recorded run, whose last look is at its end."""
    steps, losses = log["steps"], log["validation_losses"]
    return _over_tokens(steps, losses, log["tokens_seen"], steps[-1])


def _over_tokens(
    steps: Sequence[int], losses: Sequence[float], tokens: int, last: int
) -> Looks:
    """Losses after some steps, over the tokens read by then, when ``last`` steps read so many."""
    later = [(step, loss) for step, loss in zip(steps, losses, strict=True) if step > 1]
    return [step * tokens / last for step, _ in later], [loss for _, loss in later]
