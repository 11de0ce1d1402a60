"""What was measured when the course was made, and the same of a run that is watched now."""

from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.training.recipes import Run

Looks = tuple[list[float], list[float]]  # tokens read, losses


def looks_of(run: Run) -> Looks:
    """Give the tokens read and the held-out loss at each look of a run so far."""
    looks = [record for record in run.records if record.validation_loss is not None]
    if not looks:
        return [], []
    steps = [record.step for record in looks]
    losses = [record.validation_loss for record in looks]
    return _tokens(steps, run.tokens_seen(), run.state.step), losses


def looks_of_log(log: Mapping[str, Any]) -> Looks:
    """Give the same of a recorded run, whose last look is at its end."""
    steps = log["steps"]
    return _tokens(steps, log["tokens_seen"], steps[-1]), list(log["validation_losses"])


def _tokens(steps: Sequence[int], tokens: int, last: int) -> list[float]:
    """Tokens read after some steps, when ``last`` steps read so many."""
    return [step * tokens / last for step in steps]
