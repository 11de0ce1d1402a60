"""``python -m course_lib bench training``: our GPT's training step against transformers' GPT-2."""

import os
import statistics
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from course_lib.bench.rivals import both
from course_lib.bench.rounds import Comparison, compare
from course_lib.config import TrainConfig
from course_lib.data.byte_ids import byte_ids
from course_lib.data.corpora import python_text
from course_lib.training.loop import learning_rate, update
from course_lib.training.state import TrainState
from course_lib.training.tasks import NextToken


def run(n_rounds: int, n_steps: int) -> int:
    """Measure and print; 0 when ours is at least as fast, 1 when not.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    ((_, result),) = comparisons(n_rounds, n_steps)
    print(machine() + SHAPE)
    print(report(result))
    return 0 if result.median_ratio >= 1 else 1


def comparisons(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Yield the one comparison: the same shape, the same loop, the same optimiser."""
    sides = both(TrainConfig(total_steps=1000))
    ids = byte_ids(python_text().train)
    tokens = sides[0].config.batch_size * sides[0].model.config.max_seq_len
    yield "training step, GPT-2's architecture on both sides", compare(
        *(_stepper(side, ids) for side in sides),
        tokens=tokens, n_rounds=n_rounds, n_steps=n_steps, n_warm_up=min(n_steps, 10),
    )  # fmt: skip


def report(result: Comparison) -> str:
    """Say in a few lines how fast both were, and how sure that is."""
    return "\n".join(
        [
            f"course_lib GPT       {statistics.median(result.ours):8.0f} tokens/s",
            f"GPT2LMHeadModel      {statistics.median(result.theirs):8.0f} tokens/s",
            f"ours / theirs: {result.spread}",
        ]
    )


def machine() -> str:
    """Name what a speed depends on."""
    return f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}"


SHAPE = "; training step of 4 layers, width 128, context 64, batch 12, 256 ids, fp32, no dropout"


def _stepper(state: TrainState, ids: Tensor) -> Callable[[], None]:
    """Make one whole training step: draw windows, forward, backward, clip, AdamW."""
    task, seq_len, config = NextToken(ids, ids), state.model.config.max_seq_len, state.config
    generator = torch.Generator().manual_seed(config.seed)

    def step() -> None:
        windows = task.draw(seq_len, config.batch_size, generator)
        update(state, task, windows, learning_rate(state.step + 1, config))

    return step
