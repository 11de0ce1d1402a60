"""Multiplications and additions of a GPT: where they go, and when attention's lead (lesson 52)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib.config import GPTConfig, require_whole
from course_lib.models.bert import Bert
from course_lib.models.counting import count_gpt_parameters
from course_lib.models.gpt import GPT


@dataclass(frozen=True)
class Budget:
    """Where the parameters of a GPT are, and the operations of reading one text.

    Args:
        config: its sizes; ``max_seq_len`` is the length of the text.
        parameters: of the ``tables``, the ``attention`` layers and the ``feed_forward`` layers.
        operations: of the same parts (of the tables: the output layer), and of ``pairs``: the
            scores of all pairs of positions, and their use as weights.
    """

    config: GPTConfig
    parameters: dict[str, int]
    operations: dict[str, int]


def operations(config: GPTConfig, n_new: int, n_seen: int = 0) -> dict[str, int]:
    """Count what it takes to read new tokens when the keys and values of others are there.

    Every matrix product counts, a multiplication and an addition for each pair of numbers;
    norms, softmax and GELU are left out.

    Returns:
        ``attention`` (its four matrices), ``feed_forward``, ``pairs`` (scores and mixes, all of
        them: also those that the causal mask then hides) and ``tables`` (the output layer).

    Cost:
        for n_new = T, n_seen = 0 and heads that fill the width:
        n_layers * (8 T d^2 + 16 T d^2 + 4 T^2 d) + 2 T d * vocab_size.
    """
    require_whole(1, n_new=n_new)
    require_whole(0, n_seen=n_seen)
    d, width = config.d_model, config.n_heads * config.d_head
    kv_width = config.n_kv_heads * config.d_head
    each_layer = {
        "attention": 4 * n_new * d * (width + kv_width),
        "feed_forward": 4 * n_new * d * config.d_ff,
        "pairs": 4 * n_new * (n_seen + n_new) * width,
    }
    in_layers = {part: config.n_layers * count for part, count in each_layer.items()}
    return {**in_layers, "tables": 2 * n_new * d * config.vocab_size}


@torch.no_grad()
def counted_operations(model: GPT | Bert, n_new: int, n_seen: int = 0) -> int:
    """Let PyTorch count the operations of all matrix products while the model reads.

    Args:
        model: any GPT; or a BERT, which has no cache.
        n_new: tokens to read.
        n_seen: tokens that were read before, with a cache; 0 reads without one.
    """
    require_whole(1, n_new=n_new)
    require_whole(0, n_seen=n_seen)
    ids = torch.zeros(1, n_seen + n_new, dtype=torch.long)
    with_cache = {}
    if n_seen:
        with_cache = {"cache": model.new_cache(batch_size=1)}
        model(ids[:, :n_seen], **with_cache)
    return counted(lambda: model(ids[:, n_seen:], **with_cache))


def counted(work: Callable[[], object]) -> int:
    """Let PyTorch count the operations of all matrix products in some piece of work."""
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def budget(n_layers: int, d_model: int, vocab_size: int, n_tokens: int) -> Budget:
    """Work out a GPT whose context is as long as the text that it reads."""
    config = GPTConfig(vocab_size, n_tokens, d_model=d_model, n_layers=n_layers, n_heads=1)
    counts = count_gpt_parameters(config)
    parameters = {
        "tables": counts["tokens"] + counts["positions"],
        "attention": counts["attention"],
        "feed_forward": counts["feed_forward"],
    }
    return Budget(config, parameters, operations(config, n_tokens))


def share_of_pairs(d_model: int, n_tokens: int) -> float:
    """Return which share of a block's operations grows with the square of the text."""
    counts = budget(1, d_model, 1, n_tokens).operations
    return counts["pairs"] / (counts["pairs"] + counts["attention"] + counts["feed_forward"])
