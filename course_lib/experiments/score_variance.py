"""The spread of attention scores in models as they are: at the start, and after training."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.copy_task import copier_config, learn_to_copy
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm
from course_lib.models.gpt import GPT


@dataclass(frozen=True)
class Start:
    """A way to draw W_q and W_k: its name, the width of the model, and the weights' spread."""

    name: str
    d_model: int
    weight_std: float

    @property
    def predicted_variance(self) -> float:
        """(d_model sigma^2)^2: the variance of a scaled score, whatever the head's width."""
        return (self.d_model * self.weight_std**2) ** 2


# A normal distribution cut off at two standard deviations keeps this share of its spread.
CUT_AT_TWO = 0.8796

# The spread that each recipe gives W_q and W_k; Xavier counts q, k and v as one 3d x d matrix.
STARTS = (
    Start("GPT-2, width 768", 768, 0.02),
    Start("BERT-base, width 768, cut off at 0.04", 768, 0.02 * CUT_AT_TWO),
    Start("BERT-large, width 1024, cut off at 0.04", 1024, 0.02 * CUT_AT_TWO),
    Start("nn.Linear's default, width 768", 768, math.sqrt(1 / (3 * 768))),
    Start("nn.MultiheadAttention (Xavier), width 768", 768, math.sqrt(2 / (4 * 768))),
    Start("0.02 at width 12288", 12288, 0.02),
)


def starting_score_variance(start: Start, d_head: int = 64, seed: int = 0) -> float:
    """Measure the variance of scaled scores of one fresh head on layer-normed random input.

    Averaged over 8 draws of the weights, 48 positions each: one draw is off by several percent.
    """
    require_whole(1, d_head=d_head)
    generator = torch.Generator().manual_seed(seed)
    variances = []
    for _ in range(8):
        x = layer_norm(torch.randn(48, start.d_model, generator=generator))
        q, k = (
            x @ (torch.randn(start.d_model, d_head, generator=generator) * start.weight_std)
            for _ in range(2)
        )
        scores = q @ k.T / math.sqrt(d_head)
        variances.append(scores.square().mean())  # the mean of a score is 0 over the weights
    return torch.stack(variances).mean().item()


@dataclass(frozen=True)
class CopierRun:
    """A small GPT that learns to copy, and the spread of its scores on the way."""

    steps: list[int]
    losses: list[float]
    variances: Float[Tensor, "look layer head"]


def train_copier(
    n_steps: int = 250, look_every: int = 25, seed: int = 0, lr: float = 3e-3
) -> CopierRun:
    """Train a 2-layer GPT to repeat 12 random letters, and watch its scaled scores spread.

    The weights start with standard deviation 1 / sqrt(d_model): the one start at which scaled
    scores have variance 1.
    """
    require_whole(1, look_every=look_every)
    steps, losses, variances = [], [], []
    for now in learn_to_copy(copier_config(), n_steps, seed=seed, lr=lr):
        if now.step % look_every == 0:
            steps.append(now.step)
            losses.append(now.loss)
            variances.append(_score_variances(now.model, now.token_ids))
    return CopierRun(steps, losses, torch.stack(variances))


@torch.no_grad()
def _score_variances(
    model: GPT, token_ids: Int[Tensor, "batch seq"]
) -> Float[Tensor, "layer head"]:
    """Measure, head by head, how far the scores that a query may read lie apart."""
    x = model.embed(token_ids)
    visible = causal_mask(token_ids.shape[-1])
    layers = []
    for block in model.blocks:
        attn: MultiHeadAttention = block.attn
        scores = attn.attend(block.norm_1(x), visible).scores  # [batch, head, query, key]
        layers.append(_variance_within_rows(scores, visible).mean(dim=(0, 2)))
        x = block(x, visible)
    return torch.stack(layers)


def _variance_within_rows(
    scores: Float[Tensor, "batch head query key"], visible: Bool[Tensor, "query key"]
) -> Float[Tensor, "batch head row"]:
    """Measure the variance of each row over the keys it may read, for rows of two or more.

    Within a row, because softmax does not see what all scores of a row have in common.
    """
    rows = visible.sum(dim=-1) >= 2
    n_keys = visible.sum(dim=-1)[rows]
    read = scores.masked_fill(~visible, 0)[..., rows, :]
    mean = read.sum(dim=-1, keepdim=True) / n_keys[:, None]
    deviations = (read - mean).square().masked_fill(~visible[rows], 0)
    return deviations.sum(dim=-1) / (n_keys - 1)
