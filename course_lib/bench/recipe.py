"""``python -m course_lib bench --recipe``: what the course's recipe brings at equal cost."""

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from course_lib.bench.rivals import Published
from course_lib.bench.rounds import Comparison, compare
from course_lib.config import modern_gpt, modern_training, reference_training, tiny_gpt
from course_lib.data.byte_ids import byte_ids
from course_lib.data.corpora import corpus
from course_lib.data.randomness import generator_for
from course_lib.data.windows import random_windows, windows_scored_once
from course_lib.models.gpt import GPT
from course_lib.training.loop import learning_rate, update
from course_lib.training.objectives import mean_loss
from course_lib.training.state import TrainState
from course_lib.training.tasks import NextToken

LOWER, SAME_SECONDS_LOWER = 0.13, 0.18  # nats a character that ours must be below the reference
MOST_PARAMETERS = 1.05  # times the reference's
TOKENS = 12 * 64  # that a step learns from
TOPICS = "pydoc-topics"
# Three times the width of the blocks for the usual four: a step in 8 % less time, for 0.01 nats
# (one seed, the manual's topics).
D_FF = 384


@dataclass(frozen=True)
class Text:
    """A text as bytes: nine tenths to learn from, and the whole last tenth to measure on."""

    name: str
    train: Tensor
    validation: Tensor

    @classmethod
    def of(cls, name: str, text: bytes) -> "Text":
        """Cut a text; the last tenth is a tenth of its bytes, wherever that falls."""
        ids = byte_ids(text)
        cut = len(ids) * 9 // 10
        return cls(name, ids[:cut], ids[cut:])


def read_text(name: str | Path) -> Text:
    """Read the manual's topics, a text of the course (both its parts), or a file in UTF-8."""
    if name == TOPICS:
        from pydoc_data.topics import topics

        return Text.of("pydoc_data.topics", "".join(topics.values()).encode("utf8"))
    read = corpus(name)
    return Text.of(read.name, read.train + read.validation)


def reference(steps: int, seed: int) -> TrainState:
    """Make GPT2LMHeadModel and torch's AdamW, with the settings that are usual at this size.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    config = reference_training(steps, seed=seed)
    model = seeded(seed, lambda: Published(tiny_gpt()))
    optimizer = torch.optim.AdamW(
        model.parameters(), config.lr, config.betas, weight_decay=config.weight_decay
    )
    return TrainState(model, optimizer, 0, config)


def ours(steps: int, seed: int) -> TrainState:
    """Make the course's recipe: the same depth, width, context and batch."""
    config = modern_training(steps, seed=seed)
    return TrainState.fresh(seeded(seed, lambda: GPT(modern_gpt(d_ff=D_FF))), config)


def seeded(seed: int, make: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """Make a model whose first weights follow from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def one_step(state: TrainState, text: Text) -> None:
    """Make a whole training step: draw windows, forward, backward, clip, update."""
    config, step = state.config, state.step + 1
    draws = generator_for(config.seed, step, "windows")
    batch = random_windows(text.train, state.model.config.max_seq_len, config.batch_size, draws)
    task = NextToken(text.train, text.validation)
    update(state, task, batch, learning_rate(step, config))


def final_loss(state: TrainState, text: Text) -> float:
    """Train to the end and measure on the whole held-out part, in nats a byte.

    Windows do not overlap, but for the last, which begins earlier and counts only what is new.
    """
    while state.step < state.config.total_steps:
        one_step(state, text)
    seq_len = state.model.config.max_seq_len
    windows = windows_scored_once(text.validation, seq_len, stride=seq_len)
    return mean_loss(state.model, *windows, batch_size=64)


def speeds(text: Text, n_rounds: int, n_steps: int) -> Comparison:
    """Time our step against the reference's, each with its own model and optimiser."""
    sides = [side(10**6, 0) for side in (ours, reference)]
    return compare(
        *(lambda s=s: one_step(s, text) for s in sides),
        tokens=TOKENS, n_rounds=n_rounds, n_steps=n_steps, n_warm_up=min(n_steps, 5),
    )  # fmt: skip


def comparisons(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Yield the speed of the recipe's step for the table of all speeds."""
    yield "training step, the course's recipe", speeds(read_text(TOPICS), n_rounds, n_steps)


def run(text: Text, seeds: int, steps: int, n_rounds: int, n_turn: int) -> int:
    """Measure and print; 0 when all three comparisons come out as they must, else 1.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    lines = _lines(text, seeds, steps, n_rounds, n_turn)
    verdicts = []
    for line in lines:
        if isinstance(line, bool):
            verdicts.append(line)
        else:
            print(line, flush=True)
    return 0 if all(verdicts) else 1


def _lines(text: Text, seeds: int, steps: int, n_rounds: int, n_turn: int) -> Iterator[str | bool]:
    """Yield what is to be printed, and after each comparison whether it came out well."""
    sizes = [sum(p.numel() for p in make(1, 0).model.parameters()) for make in (ours, reference)]
    yield (f"{text.name}: {len(text.train):,} bytes to learn from, {len(text.validation):,} held "
           f"out; {steps} steps of {TOKENS} tokens, {seeds} seeds; "
           f"{torch.get_num_threads()} threads, torch {torch.__version__}\n"
           f"parameters: reference {sizes[1]:,}, ours {sizes[0]:,} "
           f"({sizes[0] / sizes[1]:.3f} times)")  # fmt: skip
    yield sizes[0] <= MOST_PARAMETERS * sizes[1]

    result = speeds(text, n_rounds, n_turn)
    fitting = int(steps * result.median_ratio)
    yield (f"tokens a second, ours / reference: {result.spread}; must be >= 1\n"
           f"so {fitting} steps of ours fit into the reference's seconds")  # fmt: skip
    yield result.median_ratio >= 1

    yield f"\nnats a byte on the held-out part\n{'seed':>4} reference   same tokens   same seconds"
    same_tokens, same_seconds = [], []
    for seed in range(seeds):
        theirs = final_loss(reference(steps, seed), text)
        for found, state in ((same_tokens, ours(steps, seed)),
                             (same_seconds, ours(fitting, seed))):  # fmt: skip
            found.append(final_loss(state, text) - theirs)
        yield (f"{seed:>4} {theirs:9.3f}   {theirs + same_tokens[-1]:11.3f}   "
               f"{theirs + same_seconds[-1]:12.3f}")  # fmt: skip
    for name, found, limit in (("tokens", same_tokens, LOWER),
                               ("seconds", same_seconds, SAME_SECONDS_LOWER)):  # fmt: skip
        lower = -statistics.median(found)
        yield (f"from the same {name}, ours is lower by {lower:.3f} (median of {seeds} seeds, "
               f"{-max(found):.3f} to {-min(found):.3f}); must be >= {limit}")  # fmt: skip
        yield lower >= limit
