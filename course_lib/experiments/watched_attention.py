"""Attention whose scores can be watched, rounded to half precision, or kept small by qk-norm."""

import math

import torch
from torch import Tensor

from course_lib.mechanisms.attention import MultiHeadAttention, merge_heads, split_heads
from course_lib.mechanisms.masks import barrier
from course_lib.mechanisms.norms import layer_norm
from course_lib.mechanisms.softmax import softmax


class WatchedAttention(MultiHeadAttention):
    """Multi-head attention that remembers its largest score.

    Args:
        source: its four layers are taken over, with their weights.
        qk_norm: normalise every query and key (layer norm without gain) before the product.

    Attributes:
        score_dtype: what the products of queries and keys are rounded to, before they are
            divided by the root; None leaves them as they are.
        largest: the largest size of a score, undivided, in the last call.

    Source:
        qk-norm: Dehghani et al. 2023, section 2, there with a learned gain.
    """

    def __init__(self, source: MultiHeadAttention, qk_norm: bool):
        super().__init__(source.q_proj.in_features, source.n_heads)
        self.load_state_dict(source.state_dict())
        self.qk_norm = qk_norm
        self.score_dtype: torch.dtype | None = None
        self.largest = 0.0

    def forward(
        self,
        x: Tensor,
        visible: Tensor,
        position_ids: Tensor | None = None,
        cache: None = None,
    ) -> Tensor:
        """What the sublayer adds; positions have been added to the tokens, and none is cached."""
        q, k, v = (
            split_heads(proj(x), self.n_heads) for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        if self.qk_norm:
            q, k = layer_norm(q), layer_norm(k)
        products = q @ k.transpose(-2, -1)
        self.largest = products.detach().abs().max().item()
        if self.score_dtype is not None:
            products = products.to(self.score_dtype).to(x.dtype)
        scores = products / math.sqrt(q.shape[-1]) + barrier(visible, x.dtype)
        return self.out_proj(merge_heads(softmax(scores) @ v))
