"""What was measured when the course was made, and the same of a run that is watched now."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_lib.training.recipes import Run

ABLATION = Path(__file__).with_name("ablation.json")
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


def recorded_ablation(path: Path = ABLATION) -> dict[str, Any]:
    """Read what ``python3 -m course_lib bench ablation`` has written.

    Raises:
        ValueError: if the file is of something else.
    """
    found = json.loads(Path(path).read_text(encoding="utf8"))
    if not isinstance(found, dict) or not found.get("variants"):
        raise ValueError(f"{Path(path).name} must hold the variants of an ablation, got none")
    return found


def both_ends(ablation: Mapping[str, Any]) -> dict[str, Any]:
    """Sort an ablation's losses: those of the reference and of the recipe, and one change each.

    Returns:
        the arguments of ``plots.ablation.Ablation``.
    """
    rows = {
        start: {v["name"]: v["losses"] for v in ablation["variants"] if v["start"] == start}
        for start in ("reference", "recipe")
    }
    ends = {start: named.pop(next(iter(named))) for start, named in rows.items()}
    return {**ends, "alone": rows["reference"], "without": rows["recipe"]}
