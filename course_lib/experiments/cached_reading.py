"""A GPT that reads with a cache and without: the same answers, at another price (lesson 52)."""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import GPTConfig, require_whole
from course_lib.mechanisms.kv_cache import KVCache
from course_lib.models.gpt import GPT

# The weights are larger than GPT-2's at its start, so that a narrow stack hears its attention.
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


def shifted_places(model: GPT, by: int) -> GPT:
    """Return the model with wrong places: what it reads from a cache stands so much farther on.

    What is read from the beginning of a text keeps its places, and so does a text read at once.
    """
    shifted = copy.deepcopy(model)

    def moved(position_ids: Tensor) -> Tensor:
        return position_ids + by * (position_ids.min() > 0)

    if shifted.positions is not None:
        shifted.positions.register_forward_pre_hook(lambda _, args: (moved(args[0]),))
    for block in shifted.blocks:
        block.register_forward_pre_hook(
            lambda _, args: (args[0], args[1], moved(args[2]), *args[3:])
        )
    return shifted


def edge_at_first_key(model: GPT) -> GPT:
    """Return the model with a mask that forgets what was read: its row i sees i + 1 keys."""
    blind = copy.deepcopy(model)

    def cut(_, args: tuple) -> tuple:
        x, visible, position_ids, kept = args
        if kept is not None:
            n_new = x.shape[1]
            visible = torch.ones(n_new, kept.length + n_new, dtype=torch.bool).tril()
        return x, visible, position_ids, kept

    for block in blind.blocks:
        block.register_forward_pre_hook(cut)
    return blind


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
def without_oldest(model: GPT, places_go_on: bool = False, seed: int = 0) -> float:
    """Let a full cache forget its oldest token, and read one more with what is left of it.

    Args:
        model: any GPT.
        places_go_on: whether the new token stands behind the last one kept; otherwise it gets
            the last place of the window, where the last one kept stood as well.
        seed: of the text.

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
    reader = shifted_places(model, 1) if places_go_on else model
    kept = reader(ids[:, limit:], cache=left)[:, -1]
    return (kept - model(ids[:, 1:])[:, -1]).abs().max().item()


@dataclass(frozen=True)
class StepTimes:
    """Seconds for the logits behind a text, medians of many tries.

    Args:
        lengths: tokens in the text, the last of them new.
        anew: when the whole text is read.
        kept: when the last token alone is read, and the others are in the cache.
        slower: how many times as long the longest takes as the shortest, with the cache: the
            median over pairs that were timed one after the other.
    """

    lengths: tuple[int, ...]
    anew: Float[Tensor, " length"]
    kept: Float[Tensor, " length"]
    slower: float


@torch.no_grad()
def step_times(
    lengths: Sequence[int] = (64, 128, 256, 512), rounds: int = 5, config: GPTConfig = TIMED
) -> StepTimes:
    """Time both ways to write one token, in turn, so that other work disturbs all alike.

    In a round every length is read anew once, and ten times with the cache, one length after
    the other.
    """
    require_whole(1, rounds=rounds)
    model = fresh_gpt(config).float()
    ids = random_ids(config, 1, max(lengths))
    caches = [model.new_cache(1, length) for length in lengths]
    for length, cache in zip(lengths, caches, strict=True):
        model(ids[:, : length - 1], cache=cache)
    anew, kept = [], []
    for _ in range(rounds):
        anew.append([_seconds(lambda n=length: model(ids[:, :n])) for length in lengths])
        for _ in range(10):
            kept.append(
                [_last_step(model, ids[:, :n], c) for n, c in zip(lengths, caches, strict=True)]
            )
    anew, kept = torch.tensor(anew), torch.tensor(kept)
    slower = (kept[:, -1] / kept[:, 0]).median().item()
    return StepTimes(tuple(lengths), anew.median(0).values, kept.median(0).values, slower)


def _last_step(model: GPT, ids: Int[Tensor, "1 seq"], cache: KVCache) -> float:
    """Seconds for a text's last token; the cache is then again as it was."""
    seconds = _seconds(lambda: model(ids[:, -1:], cache=cache))
    for layer in cache.layers:
        layer.length -= 1
    return seconds


@torch.no_grad()
def width_ratio(width: int = 8, config: GPTConfig = TIMED, n_tokens: int = 64) -> float:
    """How long one step takes in a model of another width, as a share of the time in this one.

    The median over 60 pairs that are timed one after the other.
    """
    ids = random_ids(config, 1, n_tokens)
    readers = []
    for d_model in (width, config.d_model):
        model = fresh_gpt(replace(config, d_model=d_model, d_head=None, d_ff=None)).float()
        readers.append((model, model.new_cache(1, n_tokens)))
        model(ids[:, :-1], cache=readers[-1][1])
    pairs = torch.tensor([[_last_step(m, ids, c) for m, c in readers] for _ in range(60)])
    return (pairs[:, 0] / pairs[:, 1]).median().item()


def power(lengths: Sequence[int], seconds: Float[Tensor, " length"]) -> float:
    """Fit ``seconds = a * length^p`` by least squares of the logarithms, and return p."""
    x = torch.tensor(lengths, dtype=torch.float64).log()
    y = seconds.double().log()
    x = x - x.mean()
    return ((x * (y - y.mean())).sum() / (x * x).sum()).item()


@dataclass(frozen=True)
class WholeText:
    """Seconds until a text of so many tokens has gone through the model.

    Args:
        at_once: in one pass.
        eight_at_once: eight texts in one pass.
        with_cache: token by token, with the cache.
        eight_texts: the same for eight texts side by side.
        without: token by token, all read anew each time.
    """

    at_once: float
    eight_at_once: float
    with_cache: float
    eight_texts: float
    without: float


@torch.no_grad()
def whole_text(n_tokens: int = 256, config: GPTConfig = TIMED) -> WholeText:
    """Time passes over all tokens (medians of five), then all ways token by token.

    These go on in turn, a token each, so that other work on the machine disturbs them alike.
    Without the cache only every fourth length is read, and counts four times.
    """
    model = fresh_gpt(config).float()
    one = random_ids(config, 1, n_tokens)
    eight = one.expand(8, -1)
    model(eight)  # the first pass of all is slower
    passes = [[_seconds(lambda x=ids: model(x)) for ids in (one, eight)] for _ in range(5)]
    at_once = torch.tensor(passes).median(0).values.tolist()
    caches = [model.new_cache(len(ids), n_tokens) for ids in (one, eight)]
    one_by_one, side_by_side, without = 0.0, 0.0, 0.0
    for end in range(1, n_tokens + 1):
        new = slice(end - 1, end)
        one_by_one += _seconds(lambda t=new: model(one[:, t], cache=caches[0]))
        side_by_side += _seconds(lambda t=new: model(eight[:, t], cache=caches[1]))
        if end % 4 == 2:
            without += 4 * _seconds(lambda n=end: model(one[:, :n]))
    return WholeText(*at_once, one_by_one, side_by_side, without)


def _seconds(work: Callable[[], object]) -> float:
    """How long it takes, by the clock that never goes back."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
