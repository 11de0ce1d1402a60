"""What a model holds in every layer while it reads one text, and who reads whom (lesson 64)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.experiments.head_outputs import head_writers
from course_lib.mechanisms.attention import MultiHeadAttention, split_heads
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.bert import Bert
from course_lib.models.gpt import GPT


@dataclass(frozen=True)
class Inside:
    """One text inside a model.

    Attributes:
        hidden: the stream behind the embedding and behind each layer, as the published code
            gives it: of a GPT the last one has been through the final norm.
        probs: each head's share of attention.
        lengths: how long a vector each head would add to the stream for a key alone, if the
            key had all of its attention.
    """

    hidden: Float[Tensor, "layers seq d_model"]
    probs: Float[Tensor, "layer head seq seq"]
    lengths: Float[Tensor, "layer head seq"]

    @property
    def written(self) -> Float[Tensor, "layer head seq seq"]:
        """Each key's share of the lengths that are added up: attention times length."""
        added = self.probs * self.lengths[..., None, :]
        return added / added.sum(dim=-1, keepdim=True)


@torch.no_grad()
def look_inside(
    model: Bert | GPT,
    token_ids: Int[Tensor, "1 seq"],
    segment_ids: Int[Tensor, "1 seq"] | None = None,
) -> Inside:
    """Let a model read one text, and keep what it holds on the way."""
    if not isinstance(model, Bert | GPT):
        raise TypeError(f"model must be a Bert or a GPT, got {type(model).__name__}")
    is_gpt = isinstance(model, GPT)
    x = model.embed(token_ids) if is_gpt else model.embedding(token_ids, segment_ids)
    visible = causal_mask(token_ids.shape[1]) if is_gpt else None
    hidden, probs, lengths = [x[0]], [], []
    for block in model.blocks:
        read = block.norm_1(x) if is_gpt else x
        probs.append(block.attn.attend(read, visible).probs[0])
        lengths.append(handed_over(block.attn, read[0]).norm(dim=-1))
        x = block(x, visible)
        hidden.append(x[0])
    if is_gpt:
        hidden[-1] = model.final_norm(x)[0]
    return Inside(torch.stack(hidden), torch.stack(probs), torch.stack(lengths))


def head_values(
    attn: MultiHeadAttention, read: Float[Tensor, "seq d_model"]
) -> Float[Tensor, "head seq d_head"]:
    """Return the value of each key, for every head of queries."""
    values = split_heads(attn.v_proj(read), attn.n_kv_heads)
    return values.repeat_interleave(attn.n_heads // attn.n_kv_heads, dim=0)


def handed_over(
    attn: MultiHeadAttention, read: Float[Tensor, "seq d_model"]
) -> Float[Tensor, "head seq d_model"]:
    """Return what each head would add to the stream for each key, with all attention on it.

    Source:
        Kobayashi et al. 2020, section 2.2: f(x) = (x W^V + b^V) W^O.
    """
    return head_values(attn, read) @ head_writers(attn)
