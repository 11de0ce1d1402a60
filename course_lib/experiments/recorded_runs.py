"""What was measured when the course was made, and the same of a run that is watched now."""

from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.training.recipes import Run

Looks = tuple[list[float], list[float]]  # tokens read, losses


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
