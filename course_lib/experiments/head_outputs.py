"""What each head of a layer adds, and a model without one of them (lesson 23)."""

import copy
from typing import TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.models.gpt import GPT

Model = TypeVar("Model", bound=nn.Module)


def head_writers(attn: MultiHeadAttention) -> Float[Tensor, "head d_head d_model"]:
    """Cut W^O into the rows that each head's mix is multiplied by."""
    return attn.out_proj.weight.T.unflatten(0, (attn.n_heads, -1))


def head_outputs(
    attn: MultiHeadAttention,
    x: Float[Tensor, "*batch query d_model"],
    visible: Bool[Tensor, "*#mask #query #key"] | None = None,
) -> Float[Tensor, "*batch head query d_model"]:
    r"""Return what each head would add to the stream if it were alone: head_i W_i^O.

    Their sum and ``out_proj``'s bias are the layer's output.

    Source:
        Vaswani et al. 2017, section 3.2.2; Elhage et al. 2021, "A Mathematical Framework for
        Transformer Circuits", reads the formula this way.
    """
    return attn.attend(x, visible).z @ head_writers(attn)


def head_readers(attn: MultiHeadAttention, kind: str) -> Float[Tensor, "head d_model d_head"]:
    """Cut W^Q, W^K or W^V (``kind`` is "q", "k" or "v") into the columns of each head."""
    if kind not in ("q", "k", "v"):
        raise ValueError(f'kind must be "q", "k" or "v", got {kind!r}')
    projection: nn.Linear = getattr(attn, f"{kind}_proj")
    return projection.weight.unflatten(0, (attn.n_heads, -1)).transpose(-2, -1)


def torch_twin(attn: MultiHeadAttention) -> nn.MultiheadAttention:
    """Give PyTorch's own layer the same weights; its heads are always d_model / n_heads wide."""
    d_model, width = attn.q_proj.in_features, attn.q_proj.out_features
    if width != d_model:
        raise ValueError(f"attn must have heads that fill the width {d_model}, got {width}")
    if attn.rotary is not None:
        raise ValueError("attn must not be rotary: PyTorch's own layer knows no positions")
    twin = nn.MultiheadAttention(d_model, attn.n_heads, batch_first=True)
    projections = (attn.q_proj, attn.k_proj, attn.v_proj)
    weights = {
        "in_proj_weight": torch.cat([p.weight for p in projections]),
        "in_proj_bias": torch.cat([p.bias for p in projections]),
        **{f"out_proj.{name}": value for name, value in attn.out_proj.state_dict().items()},
    }
    twin.load_state_dict(weights)
    return twin.to(attn.q_proj.weight.dtype)


def score_ranks(
    n_heads: int, d_model: int = 64, n_positions: int = 24, seed: int = 0
) -> tuple[list[int], list[int]]:
    """Measure the rank of each head's scores, and of its shares after softmax.

    A fresh layer on random input, started so that scores have variance 1 (lesson 21).
    """
    require_whole(1, n_positions=n_positions)
    attn = MultiHeadAttention(d_model, n_heads).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in attn.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) * d_model**-0.5)
        x = torch.randn(n_positions, d_model, generator=generator, dtype=torch.float64)
        _, scores, probs = attn.attend(x)
    ranks = (torch.linalg.matrix_rank(matrix).tolist() for matrix in (scores, probs))
    return tuple(ranks)


def without_heads(model: Model, *places: tuple[int, int]) -> Model:
    """Copy a model and silence some heads, each named (layer, head), both counted from 0.

    The rows of W^O that a head is multiplied by are set to 0, so that it adds nothing; all the
    others stay as they were.  The model itself is not changed.
    """
    silenced = copy.deepcopy(model)
    for layer, head in places:
        require_whole(0, layer=layer, head=head)
        if layer >= len(silenced.blocks):
            raise ValueError(f"layer must be below {len(silenced.blocks)}, got {layer}")
        attn = silenced.blocks[layer].attn
        if head >= attn.n_heads:
            raise ValueError(f"head must be below {attn.n_heads}, got {head}")
        with torch.no_grad():
            head_writers(attn)[head].zero_()  # a view: this writes into the copy's weight
    return silenced


def all_heads(model: GPT) -> list[tuple[int, int]]:
    """Name every head of a model: (layer, head), in order."""
    return [(layer, h) for layer, b in enumerate(model.blocks) for h in range(b.attn.n_heads)]
