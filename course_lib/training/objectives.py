"""Objectives: what a model is graded on while it trains, and how that is measured."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from course_lib.data.windows import consecutive_windows
from course_lib.mechanisms.losses import IGNORE, cross_entropy


def next_token_loss(
    model: nn.Module, inputs: Int64[Tensor, "batch seq"], targets: Int64[Tensor, "batch seq"]
) -> Float[Tensor, ""]:
    """Grade the model's guess of the next token at every position at once.

    Units:
        nats per token.

    Source:
        Radford et al. 2018, equation 1; averaged here, where the paper sums.
    """
    return cross_entropy(model(inputs), targets)


def spread_windows(
    ids: Tensor, seq_len: int, n_windows: int
) -> tuple[Int64[Tensor, "window seq"], Int64[Tensor, "window seq"]]:
    """Pick windows evenly over the whole text, the same each time; fewer if it is short."""
    inputs, targets = consecutive_windows(ids, seq_len)
    n_windows = min(n_windows, len(inputs))
    chosen = torch.arange(n_windows) * len(inputs) // n_windows
    return inputs[chosen], targets[chosen]


def mean_loss(model: nn.Module, inputs: Tensor, targets: Tensor, batch_size: int) -> float:
    """Average the next-token loss over all scored tokens, without dropout or learning from them.

    Units:
        nats per token.
    """
    total, device = 0.0, device_of(model)
    with looking(model):
        batches = zip(inputs.split(batch_size), targets.split(batch_size), strict=True)
        for some_inputs, some_targets in batches:
            loss = next_token_loss(model, some_inputs.to(device), some_targets.to(device))
            total += loss.item() * int((some_targets != IGNORE).sum())
    return total / int((targets != IGNORE).sum())


def device_of(model: nn.Module) -> torch.device:
    """Return where a model's weights lie."""
    return next(model.parameters()).device


@contextmanager
def looking(model: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off; each module's own mode comes back whatever happens."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, was_training in modes:
            module.training = was_training
