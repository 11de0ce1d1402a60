"""Looking ahead: can a position of a GPT see what comes after it, and what follows if it can?"""

import itertools
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_tensor
from course_lib.models.gpt import GPT


def run_blocks(
    model: GPT,
    x: Float[Tensor, "batch seq d_model"],
    visible: Bool[Tensor, "*#mask #seq seq"] | None,
) -> Float[Tensor, "batch seq d_model"]:
    """Send vectors through a GPT's blocks under a mask of our choice; None hides nothing."""
    for block in model.blocks:
        x = block(x, visible)
    return model.final_norm(x)


def logits_under(
    model: GPT,
    token_ids: Int[Tensor, "batch seq"],
    visible: Bool[Tensor, "*#mask #seq seq"] | None,
) -> Float[Tensor, "batch seq vocab"]:
    """Score the next token as the model does, but under a mask of our choice."""
    x = model.embed(token_ids)
    return model.lm_head(run_blocks(model, x, visible))


def influence(
    model: GPT,
    token_ids: Int[Tensor, " seq"],
    visible: Bool[Tensor, "seq seq"] | None,
    generator: torch.Generator,
) -> Float[Tensor, "seq seq"]:
    """Measure how strongly the output at each position (row) reacts to each input (column).

    The output vector is read through one random direction, so that a single backward pass a
    position suffices; a reaction of exactly 0 in it means that nothing came through.

    Returns:
        The length of the Jacobian's part for each pair of positions.
    """
    require_tensor(token_ids=token_ids)
    if token_ids.ndim != 1:
        raise ValueError(f"token_ids must have one axis, got shape {tuple(token_ids.shape)}")
    probe = torch.randn(model.config.d_model, generator=generator).to(model.tokens.weight)
    start = model.embed(token_ids[None]).detach()
    return reactions(lambda x: run_blocks(model, x, visible), start, probe)


def reactions(
    stack: Callable[[Tensor], Tensor],
    start: Float[Tensor, "1 seq d_model"],
    probe: Float[Tensor, " d_model"],
) -> Float[Tensor, "seq seq"]:
    """Do the same for anything that turns vectors into vectors, read through one direction."""

    def read(x: Tensor) -> Tensor:
        return (stack(x) @ probe).squeeze(0)  # [seq]

    jacobian = torch.autograd.functional.jacobian(read, start)  # [seq, 1, seq, d_model]
    return jacobian.squeeze(1).norm(dim=-1)


@torch.no_grad()
def total_probability(model: GPT, length: int, visible: Bool[Tensor, "seq seq"] | None) -> float:
    """Add up the probabilities that a model gives to all texts of a length, after token 0.

    Each text's probability is the product of its tokens' conditional ones (the chain rule), so
    the sum over all of them is 1, if no factor has seen the token that it predicts.

    Cost:
        vocab_size ** length texts: for toys only.
    """
    require_whole(1, length=length)
    vocab_size = model.config.vocab_size
    texts = torch.tensor(list(itertools.product(range(vocab_size), repeat=length)))
    inputs = torch.cat([torch.zeros(len(texts), 1, dtype=torch.long), texts[:, :-1]], dim=1)
    log_probs = logits_under(model, inputs, visible).log_softmax(dim=-1)
    chosen = log_probs.gather(-1, texts.unsqueeze(-1)).squeeze(-1)  # [text, length]
    return chosen.sum(dim=-1).exp().sum().item()
