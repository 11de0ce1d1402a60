"""Other shares of attention that make the same mix, and what a model makes of them (lesson 64)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.experiments.inside import head_values
from course_lib.mechanisms.attention import merge_heads
from course_lib.models.bert import Bert

_TINY = 1e-12  # a share below this is rounding


@dataclass(frozen=True)
class OtherAttention:
    """One layer's attention, and another one that gives the same vectors.

    Attributes:
        tokens: how many the text has.
        was, now: each head's shares, as computed and changed.
        favourite: for each head and query, the key that it reads most.
        moved: the largest change of a number in the model's last vectors.
        scale: the largest number in them.
    """

    tokens: int
    was: Float[Tensor, "head query key"]
    now: Float[Tensor, "head query key"]
    favourite: Int[Tensor, "head query"]
    moved: float
    scale: float

    @property
    def favourite_shares(self) -> tuple[Float[Tensor, "head query"], Float[Tensor, "head query"]]:
        """The favourites' shares before and after."""
        where = self.favourite[..., None]
        return self.was.gather(-1, where)[..., 0], self.now.gather(-1, where)[..., 0]


@torch.no_grad()
def other_attention(model: Bert, token_ids: Int[Tensor, "1 seq"], layer: int) -> OtherAttention:
    """Take attention away from every query's favourite key, as far as its mix stays as it is.

    Computed in float64.  In each head of this layer, for each query.
    """
    model = _in_double(model)
    x = model.embedding(token_ids)
    for block in model.blocks[:layer]:
        x = block(x)
    attn = model.blocks[layer].attn
    was = attn.attend(x).probs[0]
    favourite = was.argmax(dim=-1)
    of_each = zip(was.split(1), head_values(attn, x[0]).split(1), favourite.split(1), strict=True)
    now = torch.cat([lowered(*of_head) for of_head in of_each])  # one by one, which fits a cache
    last, other = model(token_ids)[0], read_with(model, token_ids, {layer: now})
    moved = (other - last).abs().max().item()
    return OtherAttention(token_ids.shape[1], was, now, favourite, moved, last.abs().max().item())


@torch.no_grad()
def lowered(
    shares: Float[Tensor, "head query key"],
    values: Float[Tensor, "head key d_head"],
    target: Int[Tensor, "head query"],
) -> Float[Tensor, "head query key"]:
    r"""Lower the share of one key for each query, keeping its mix and the sum of its shares.

    The shares must satisfy one equation for each number of the mix, and one for their sum.  With
    more keys than equations there is room: steps along directions that no equation notices, each
    until another share has come down to 0.  It does not look for the very lowest share.
    """
    equations = torch.cat([values, torch.ones_like(values[..., :1])], dim=-1)  # [head, key, n]
    equations = equations[:, None].expand(-1, shares.shape[1], -1, -1)
    less = torch.zeros_like(shares).scatter(-1, target[..., None], -1.0)
    for _ in range(shares.shape[-1]):
        free = shares > _TINY
        step = _unnoticed(less * free, equations * free[..., None])
        room = torch.where(step < -1e-9, shares / -step, torch.inf).amin(dim=-1, keepdim=True)
        if room.isinf().all():
            break
        shares = (shares + torch.where(room.isinf(), 0.0, room) * step).clamp(min=0)
    return shares


def _unnoticed(
    pull: Float[Tensor, "head query key"], equations: Float[Tensor, "head query key n"]
) -> Float[Tensor, "head query key"]:
    """Take away the part of a step that the equations notice; 0 where nothing else is left."""
    gram = equations.mT @ equations
    size = gram.diagonal(dim1=-2, dim2=-1).mean(dim=-1)[..., None, None]
    gram = gram + 1e-14 * size * torch.eye(gram.shape[-1]).to(gram)  # never singular
    step, factors = pull[..., None], torch.linalg.lu_factor(gram)
    for _ in range(2):  # twice, against rounding
        step = step - equations @ torch.linalg.lu_solve(*factors, equations.mT @ step)
    noticed = (equations.mT @ step).norm(dim=-2) / size[..., 0].sqrt()
    return step[..., 0] * (noticed <= 1e-9 * step.norm(dim=-2))


@torch.no_grad()
def read_with(
    model: Bert,
    token_ids: Int[Tensor, "1 seq"],
    replaced: Mapping[int, Float[Tensor, "head query key"]],
) -> Float[Tensor, "seq d_model"]:
    """Let an encoder read a text with other shares of attention in some of its layers."""
    x = model.embedding(token_ids)[0]
    for layer, block in enumerate(model.blocks):
        probs = replaced[layer] if layer in replaced else block.attn.attend(x).probs
        z = merge_heads(probs @ head_values(block.attn, x))
        x = block.norm_1(x + block.attn.out_proj(z))
        x = block.norm_2(x + block.ffn(x))
    return x


@torch.no_grad()
def even_attention(
    model: Bert, token_ids: Int[Tensor, "1 seq"], layers: Sequence[int]
) -> Float[Tensor, "seq d_model"]:
    """Let an encoder read a text with equal shares for all keys, in every head of these layers."""
    seq, weight = token_ids.shape[1], model.embedding.tokens.weight
    even = weight.new_full((model.config.n_heads, seq, seq), 1 / seq)
    return read_with(model, token_ids, dict.fromkeys(layers, even))


def _in_double(model: Bert) -> Bert:
    """Copy an encoder into float64, in evaluation mode."""
    copy = Bert(model.config).double()
    copy.load_state_dict(model.state_dict())
    return copy.eval()
