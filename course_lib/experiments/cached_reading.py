"""A GPT that reads with a cache and without: the same answers, at another price (lesson 52)."""

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import GPTConfig, require_whole
from course_lib.models.gpt import GPT

SMALL = GPTConfig(50, 24, d_model=32, n_layers=4, n_heads=4, init_std=0.2)
TIMED = GPTConfig(100, 1024, d_model=128, n_layers=4, n_heads=4)


def fresh_gpt(config: GPTConfig = SMALL, seed: int = 0) -> GPT:
    """Make a GPT with random weights, in float64, without touching the random state."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return GPT(config).double().eval()


def random_ids(
    config: GPTConfig, n_texts: int, n_tokens: int, seed: int = 0
) -> Int[Tensor, "batch seq"]:
    """Draw texts of random tokens."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(config.vocab_size, (n_texts, n_tokens), generator=generator)


@torch.no_grad()
def read_in_pieces(
    model: GPT,
    ids: Int[Tensor, "batch seq"],
    piece: int = 1,
    prompt: int = 0,
    real: Bool[Tensor, "batch seq"] | None = None,
) -> Float[Tensor, "batch seq vocab"]:
    """Read a text with a cache, so many tokens at a time, and return all logits.

    Args:
        model: any GPT.
        ids: the text.
        piece: tokens at a time.
        prompt: tokens that are read at once before that.
        real: False at padding on the left, which must end within the prompt.
    """
    require_whole(1, piece=piece)
    require_whole(0, prompt=prompt)
    cache = model.new_cache(len(ids))
    logits = []
    first = (ids[:, :prompt],) if prompt else ()
    for new in (*first, *ids[:, prompt:].split(piece, dim=1)):
        end = cache.length + new.shape[1]
        logits.append(model(new, None if real is None else real[:, :end], cache))
    return torch.cat(logits, dim=1)


def one_place_late(model: GPT) -> GPT:
    """Return the model with the classic fault: it takes each token for the one before it.

    Only the table of positions is moved, so that place n gets the row of place n - 1.
    """
    late = copy.deepcopy(model)
    table = late.positions.weight
    with torch.no_grad():
        table.copy_(table.roll(1, dims=0))
    return late


def tokens_read(model: GPT, n_prompt: int, n_new: int, use_cache: bool = True) -> list[int]:
    """Let the model write, and count how many tokens it reads for each new one."""
    counts = []
    hook = model.register_forward_pre_hook(lambda _, args: counts.append(args[0].shape[1]))
    try:
        prompt = random_ids(model.config, 1, n_prompt)
        model.generate(prompt, n_new, temperature=0, use_cache=use_cache)
    finally:
        hook.remove()
    return counts


@torch.no_grad()
def without_oldest(model: GPT, seed: int = 0) -> float:
    """Let a full cache forget its oldest token, and read one more with what is left of it.

    Returns:
        the largest difference of the logits from those of the same window read anew.
    """
    limit = model.config.max_seq_len
    ids = random_ids(model.config, 1, limit + 1, seed)
    full, left = model.new_cache(), model.new_cache()
    model(ids[:, :limit], cache=full)
    for old, new in zip(full.layers, left.layers, strict=True):
        new.extend(old.keys[:, :, 1:], old.values[:, :, 1:])
    left.accept(limit - 1)
    kept = model(ids[:, limit:], cache=left)[:, -1]
    return (kept - model(ids[:, 1:])[:, -1]).abs().max().item()


@dataclass(frozen=True)
class StepTimes:
    """Seconds for the logits behind a text, the best of several tries.

    Args:
        lengths: tokens in the text, the last of them new.
        anew: when the whole text is read.
        kept: when the last token alone is read, and the others are in the cache.
    """

    lengths: tuple[int, ...]
    anew: Float[Tensor, " length"]
    kept: Float[Tensor, " length"]


@torch.no_grad()
def step_times(
    lengths: Sequence[int] = (64, 128, 256, 512), rounds: int = 5, config: GPTConfig = TIMED
) -> StepTimes:
    """Time both ways to write one token, in turn, so that other work disturbs both alike."""
    require_whole(1, rounds=rounds)
    model = fresh_gpt(config).float()
    ids = random_ids(config, 1, max(lengths))
    best = torch.full((2, len(lengths)), math.inf)
    for _ in range(rounds):
        for column, length in enumerate(lengths):
            cache = model.new_cache(1)
            model(ids[:, : length - 1], cache=cache)
            last = ids[:, length - 1 : length]
            seconds = (
                _seconds(lambda n=length: model(ids[:, :n])),
                _seconds(lambda new=last, kept=cache: model(new, cache=kept)),
            )
            best[:, column] = torch.minimum(best[:, column], torch.tensor(seconds))
    return StepTimes(tuple(lengths), *best)


def power(lengths: Sequence[int], seconds: Float[Tensor, " length"]) -> float:
    """Fit ``seconds = a * length^p`` by least squares of the logarithms, and return p."""
    x = torch.tensor(lengths, dtype=torch.float64).log()
    y = seconds.double().log()
    x = x - x.mean()
    return ((x * (y - y.mean())).sum() / (x * x).sum()).item()


@dataclass(frozen=True)
class WholeText:
    """Seconds until a text of so many tokens has gone through the model, in three ways.

    ``eight_texts`` is with the cache as well: eight texts side by side, together.
    """

    at_once: float
    with_cache: float
    without: float
    eight_texts: float


@torch.no_grad()
def whole_text(n_tokens: int = 256, config: GPTConfig = TIMED) -> WholeText:
    """Time one pass over all tokens, then token by token, with the cache and without."""
    model = fresh_gpt(config).float()
    ids = random_ids(config, 1, n_tokens)
    model(ids)  # the first pass of all is slower

    def without() -> None:
        for end in range(1, n_tokens + 1):
            model(ids[:, :end])

    return WholeText(
        at_once=_seconds(lambda: model(ids)),
        with_cache=_seconds(lambda: read_in_pieces(model, ids)),
        without=_seconds(without),
        eight_texts=_seconds(lambda: read_in_pieces(model, ids.expand(8, -1))),
    )


def _seconds(work: Callable[[], object]) -> float:
    """How long it takes, by the clock that never goes back."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
