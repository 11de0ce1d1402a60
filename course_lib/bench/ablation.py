"""``python -m course_lib bench --ablation``: what each change of the recipe brings.

Two rows of short runs: the whole recipe less one change, and the reference with one change more.
What a change brings alone and what it brings among the others need not be the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from course_lib.bench.recipe import D_FF, TOKENS, Text, one_step, seeded
from course_lib.bench.record import circumstances, write
from course_lib.config import (
    GPTConfig,
    TrainConfig,
    modern_gpt,
    modern_training,
    reference_training,
    tiny_gpt,
)
from course_lib.models.gpt import GPT
from course_lib.training.objectives import mean_loss, spread_windows
from course_lib.training.state import TrainState

RECIPE, REFERENCE = "recipe", "reference"
N_WINDOWS = 600  # of the held-out part, the same for all


@dataclass(frozen=True)
class Candidate:
    """One change of the recipe or of the reference; none is the thing itself."""

    start: str
    name: str
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def state(self, steps: int, seed: int) -> TrainState:
        """Make the model and its optimiser; same seed, same first weights where shapes allow."""
        shape: GPTConfig = modern_gpt(d_ff=D_FF) if self.start == RECIPE else tiny_gpt()
        make = modern_training if self.start == RECIPE else reference_training
        config: TrainConfig = make(steps, **{"seed": seed, **self.training})
        return TrainState.fresh(seeded(seed, lambda: GPT(replace(shape, **self.model))), config)


CANDIDATES = (
    Candidate(RECIPE, "the whole recipe"),
    Candidate(RECIPE, "AdamW for Muon", training=dict(optimizer="adamw")),
    Candidate(RECIPE, "AdamW for Muon, rate 3e-3", training=dict(optimizer="adamw", lr=3e-3)),
    Candidate(RECIPE, "Muon for whole matrices", training=dict(optimizer="muon")),
    Candidate(RECIPE, "learned positions for rotary", dict(positions="learned")),
    Candidate(RECIPE, "GELU for squared ReLU", dict(activation="gelu")),
    Candidate(RECIPE, "no QK-norm", dict(qk_norm=False)),
    Candidate(RECIPE, "layer norm and biases", dict(norm="layer", biases=True)),
    Candidate(RECIPE, "feed-forward layers of the usual width", dict(d_ff=None)),
    Candidate(RECIPE, "cosine to a tenth", training=dict(decay="cosine", min_lr=6e-4)),
    Candidate(REFERENCE, "the reference"),
    Candidate(REFERENCE, "rate 6e-3", training=dict(lr=6e-3, min_lr=6e-4)),
    Candidate(REFERENCE, "rate 6e-3 and Muon",
            training=dict(lr=6e-3, min_lr=6e-4, optimizer="muon by head")),
    Candidate(REFERENCE, "rotary positions", dict(positions="rotary")),
    Candidate(REFERENCE, "squared ReLU", dict(activation="relu squared")),
)  # fmt: skip


def run(text: Text, seeds: int, steps: int, out: Path, command: str) -> int:
    """Train all variants, print what came of each, and write the file anew after each seed."""
    losses: list[list[float]] = [[] for _ in CANDIDATES]
    for seed in range(seeds):
        print(f"seed {seed}: nats a byte after {steps} steps on {text.name}", flush=True)
        for line in _one_seed(text, seed, steps, losses):
            print(line, flush=True)
        found = described(text, seed + 1, steps, command, losses)
        write(out, found)
    return 0


def _one_seed(text: Text, seed: int, steps: int, losses: list[list[float]]) -> Iterator[str]:
    """Train every variant from one seed."""
    for candidate, found in zip(CANDIDATES, losses, strict=True):
        state = candidate.state(steps, seed)
        while state.step < steps:
            one_step(state, text)
        windows = spread_windows(text.validation, state.model.config.max_seq_len, N_WINDOWS)
        found.append(mean_loss(state.model, *windows, batch_size=64))
        yield f"  {candidate.start:<9} {candidate.name:<30} {found[-1]:.4f}"


def described(
    text: Text, seeds: int, steps: int, command: str, losses: list[list[float]]
) -> dict[str, Any]:
    """Gather what the file says: what was measured, how, when and on which machine."""
    return {
        **circumstances(command),
        "text": text.name,
        "unit": "nats a byte, held out",
        "steps": steps,
        "tokens_a_step": TOKENS,
        "seeds": list(range(seeds)),
        "variants": [
            {
                "start": candidate.start,
                "name": candidate.name,
                "model": dict(candidate.model),
                "training": dict(candidate.training),
                "losses": [round(loss, 4) for loss in found],
            }
            for candidate, found in zip(CANDIDATES, losses, strict=True)
        ],
    }  # fmt: skip
