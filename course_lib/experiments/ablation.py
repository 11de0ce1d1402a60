"""The recorded ablation: what each change of the recipe brought, measured once over seeds.

``ablation.json`` beside this file is made by ``python3 -m course_lib bench --ablation``; what
the file says about itself (``command``, ``date``, ``machine``) names the call and the day.
"""

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RECORDED = Path(__file__).with_name("ablation.json")


@dataclass(frozen=True)
class Variant:
    """One change of what it starts from.

    Attributes:
        name: the change.
        losses: one for each seed, in nats a byte.
        changes: the same, less the loss of the start from the same seed: above 0 is worse.
    """

    name: str
    losses: tuple[float, ...]
    changes: tuple[float, ...]

    @property
    def change(self) -> float:
        """The middle of the seeds' changes."""
        return statistics.median(self.changes)


@dataclass(frozen=True)
class Ablation:
    """Two rows of short runs.

    Attributes:
        reference, recipe: the losses of the two themselves, one for each seed.
        added: the reference with one change more.
        removed: the recipe less one change.
        text, steps, tokens_a_step, n_seeds, command, date, machine: how it was measured.
    """

    reference: tuple[float, ...]
    recipe: tuple[float, ...]
    added: tuple[Variant, ...]
    removed: tuple[Variant, ...]
    text: str
    steps: int
    tokens_a_step: int
    n_seeds: int
    command: str
    date: str
    machine: str


def recorded_ablation(path: Path = RECORDED) -> Ablation:
    """Read the file.

    Raises:
        ValueError: if it is not such a file, or a variant lacks a seed.
    """
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        n_seeds = len(found["seeds"])
        for variant in found["variants"]:
            if len(variant["losses"]) != n_seeds or not n_seeds:
                raise ValueError(
                    f"{path.name} must hold a loss for each of {n_seeds} seeds, got "
                    f"{len(variant['losses'])} for {variant['name']!r}"
                )
        (reference, added), (recipe, removed) = (
            _row(found["variants"], start) for start in ("reference", "recipe")
        )
        described = {key: found[key] for key in
                     ("text", "steps", "tokens_a_step", "command", "date", "machine")}  # fmt: skip
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path.name} is no recorded ablation: {error!r}") from error
    return Ablation(reference, recipe, added, removed, n_seeds=n_seeds, **described)


def _row(variants: Sequence[dict], start: str) -> tuple[tuple[float, ...], tuple[Variant, ...]]:
    """Return the losses of a start, and its variants, the largest improvement first."""
    own = [v for v in variants if v["start"] == start]
    (itself,) = (v for v in own if not v["model"] and not v["training"])
    base = tuple(itself["losses"])
    changed = [
        Variant(v["name"], tuple(v["losses"]),
                tuple(loss - start for loss, start in zip(v["losses"], base, strict=True)))
        for v in own if v is not itself
    ]  # fmt: skip
    return base, tuple(sorted(changed, key=lambda variant: variant.change))
