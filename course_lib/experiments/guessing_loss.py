"""The loss of a model that knows nothing, against how sure it is (lesson 44)."""

import torch

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.losses import cross_entropy


def guessing_loss(std: float, vocab_size: int, n_tokens: int = 64, seed: int = 0) -> float:
    """The mean loss on random targets when the logits are random too, with this spread."""
    require_number(std=std)
    require_whole(1, vocab_size=vocab_size, n_tokens=n_tokens)
    draws = torch.Generator().manual_seed(seed)
    logits = std * torch.randn(n_tokens, vocab_size, generator=draws)
    return cross_entropy(logits, torch.randint(vocab_size, (n_tokens,), generator=draws)).item()
