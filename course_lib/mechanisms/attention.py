"""Attention: the one operation that moves information between positions."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.config import (
    require_fraction,
    require_number,
    require_shared_heads,
    require_switch,
    require_whole,
)
from course_lib.mechanisms.kv_cache import LayerCache
from course_lib.mechanisms.masks import barrier
from course_lib.mechanisms.norms import rms_norm
from course_lib.mechanisms.require import (
    require_floats,
    require_pairs,
    require_position_ids,
    require_tensor,
    require_width,
)
from course_lib.mechanisms.rotary import Rotary
from course_lib.mechanisms.softmax import softmax


class AttentionOutput(NamedTuple):
    """What attention produced, with the two intermediate results that the lessons plot."""

    z: Float[Tensor, "*batch query d_value"]
    scores: Float[Tensor, "*batch query key"]
    probs: Float[Tensor, "*batch query key"]


def scaled_dot_product_attention(
    q: Float[Tensor, "*batch query d_head"],
    k: Float[Tensor, "*batch key d_head"],
    v: Float[Tensor, "*batch key d_value"],
    visible: Bool[Tensor, "*#batch #query #key"] | None = None,
    *,
    scale: float | None = None,
    dropout: float = 0.0,
) -> AttentionOutput:
    r"""Replace each query by an average of the values, weighted by how well their keys match.

    .. math::
        S = \frac{Q K^\top}{\sqrt{d_{\text{head}}}}, \qquad
        A = \operatorname{softmax}(S), \qquad
        Z = A V

    The root keeps the spread of the scores independent of the width when the entries of ``q``
    and ``k`` are independent with variance 1.  Lesson 21 measures that, and what else holds.

    Args:
        q: one row per position that asks.
        k: one row per position that can be asked, as wide as ``q``.
        v: what each asked position hands over; its width is free.
        visible: True where a query may read a key.  Leading axes broadcast, so one causal mask
            serves every text and head.  None: everything may be read.
        scale: what the products are multiplied by instead of ``1 / sqrt(d_head)``.
        dropout: share of the probabilities that is set to 0 in the average, for training only.

    Returns:
        ``z``, and the ``scores`` and ``probs`` behind it.  Each row of ``probs`` sums to 1; a
        hidden key has score ``-inf`` and probability exactly 0.

    Raises:
        TypeError: if ``visible`` is not bool (a mask of 0 and ``-inf`` means something else).
        ValueError: if ``q`` and ``k`` differ in width, ``k`` and ``v`` in number, ``visible``
            does not fit the scores, or some query may read nothing (a softmax over nothing;
            PyTorch's own would answer NaN or 0).

    Units:
        ``scores`` are log-odds in nats, up to a constant for each row.

    Cost:
        2 * query * key * (d_head + d_value) floating-point operations a head, and query * key
        numbers of memory.

    Source:
        Vaswani et al. 2017, section 3.2.1, equation 1.  The paper has no ``visible``; it
        describes masking in words in section 3.2.3.
    """
    _require_fit(q, k, v)
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    require_number(scale=scale)
    require_fraction(dropout=dropout)
    scores = (q * scale) @ k.transpose(-2, -1)  # [*batch, query, key]
    if visible is not None:
        _require_mask(visible, scores.shape)
        scores += barrier(visible, scores.dtype)
    probs = softmax(scores)
    mix = functional.dropout(probs, dropout) if dropout else probs
    return AttentionOutput(z=mix @ v, scores=scores, probs=probs)


def _require_fit(q: object, k: object, v: object) -> None:
    """Raise unless q and k are equally wide, at least 1, and each key has its value."""
    require_floats(2, q=q, k=k, v=v)
    if q.shape[-1] != k.shape[-1] or not q.shape[-1]:
        raise ValueError(
            f"k must be as wide as q, got q of width {q.shape[-1]} and k of width {k.shape[-1]}"
        )
    if k.shape[-2] != v.shape[-2] or not k.shape[-2]:
        raise ValueError(
            f"v must hold one row for each key, got {k.shape[-2]} keys and {v.shape[-2]} values"
        )


def _require_mask(visible: object, scores: tuple[int, ...]) -> None:
    """Raise unless the mask can be stretched to the scores; the reverse would add texts."""
    require_tensor(visible=visible)
    try:
        visible.expand(scores)  # a view: nothing is copied
    except RuntimeError:
        raise ValueError(
            f"visible must fit the scores, shape {tuple(scores)}, "
            f"got shape {tuple(visible.shape)}"
        ) from None


def split_heads(
    x: Float[Tensor, "*batch seq width"], n_heads: int
) -> Float[Tensor, "*batch head seq d_head"]:
    """Cut the last axis into ``n_heads`` equal pieces and move the pieces before the positions."""
    require_floats(2, x=x)
    require_whole(1, n_heads=n_heads)
    if x.shape[-1] % n_heads:
        raise ValueError(
            f"n_heads must divide the width of x, got n_heads={n_heads}, width {x.shape[-1]}"
        )
    return x.reshape(*x.shape[:-1], n_heads, -1).transpose(-3, -2)


def merge_heads(
    z: Float[Tensor, "*batch head seq d_head"],
) -> Float[Tensor, "*batch seq width"]:
    """Lay the heads side by side again: the inverse of :func:`split_heads`."""
    require_floats(3, z=z)
    return z.transpose(-3, -2).flatten(-2)


def grouped_attention(
    q: Float[Tensor, "*batch head query d_head"],
    k: Float[Tensor, "*batch kv_head key d_head"],
    v: Float[Tensor, "*batch kv_head key d_value"],
    visible: Bool[Tensor, "*#mask #query #key"] | None = None,
    *,
    dropout: float = 0.0,
) -> AttentionOutput:
    """Attend with neighbouring heads of queries sharing one head of keys and values.

    The queries of a group are laid behind each other, as if one head asked more often.  So the
    keys and values are read where they are; copies for each head would undo what sharing saves.

    Source:
        Ainslie et al. 2023, section 2.2 (grouped queries); Shazeer 2019, section 3 (one for all).
    """
    n_heads, n_query, n_kv_heads = q.shape[-3], q.shape[-2], k.shape[-3]
    if n_heads == n_kv_heads:
        return scaled_dot_product_attention(q, k, v, visible, dropout=dropout)

    def behind_each_other(x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:-3], n_kv_heads, -1, x.shape[-1])

    if visible is not None:
        _require_mask(visible, (*q.shape[:-1], k.shape[-2]))
        *batch, _, _, _ = visible.shape if visible.ndim > 2 else (1, *visible.shape)
        visible = behind_each_other(visible.expand(*batch, n_heads, n_query, k.shape[-2]))
    outputs = scaled_dot_product_attention(behind_each_other(q), k, v, visible, dropout=dropout)
    return AttentionOutput(*(x.reshape(*q.shape[:-1], x.shape[-1]) for x in outputs))


def _require_clear_axes(visible: Tensor | None, x: Tensor) -> None:
    """Raise for a mask whose first axis could be texts or heads: (batch, query, key)."""
    if visible is None:
        return
    require_tensor(visible=visible)
    if visible.ndim not in (2, x.ndim + 1):
        raise ValueError(
            f"visible must have 2 axes (query, key) or {x.ndim + 1} (..., head, query, key), "
            f"with 1 where it is the same for all, got shape {tuple(visible.shape)}"
        )


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own projection, added up by ``out_proj``.

    Args:
        d_model: width of the residual stream that is read and written.
        n_heads: how many heads.
        d_head: width of a head; left out, ``d_model / n_heads``, which must then be whole.
        n_kv_heads: heads of keys and values, each shared by ``n_heads / n_kv_heads`` heads of
            queries; left out, as many as heads.
        dropout: share of the attention probabilities dropped while training.
        rotary: turns queries and keys by their positions; left out, attention sees no order.
        bias: False leaves the shift out of all four projections.
        qk_norm: True gives each head's queries and keys a mean square of 1 before they are
            turned and compared.  No score then exceeds sqrt(d_head), however large the weights.

    The four layers ``q_proj, k_proj, v_proj, out_proj`` hold their matrices as
    ``weight [d_out, d_in]``, the transpose of the formulas' W.

    Source:
        Vaswani et al. 2017, section 3.2.2.  Differs: every projection has a bias, as in GPT-2
        and BERT.  ``qk_norm``: Henry et al. 2020, section 3, who make the length 1 and learn a
        factor; here the factor is fixed at sqrt(d_head).
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_head: int | None = None,
        *,
        n_kv_heads: int | None = None,
        dropout: float = 0.0,
        rotary: Rotary | None = None,
        bias: bool = True,
        qk_norm: bool = False,
    ):
        super().__init__()
        require_whole(1, d_model=d_model, n_heads=n_heads)
        require_fraction(dropout=dropout)
        require_switch(bias=bias, qk_norm=qk_norm)
        if d_head is None and d_model % n_heads:
            raise ValueError(
                f"d_model must be divisible by n_heads when d_head is left out, "
                f"got d_model={d_model}, n_heads={n_heads}"
            )
        d_head = d_model // n_heads if d_head is None else d_head
        require_whole(1, d_head=d_head)
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        require_shared_heads(n_heads, n_kv_heads)
        if rotary is not None:
            if not isinstance(rotary, Rotary):
                raise TypeError(f"rotary must be a Rotary or None, got {rotary!r}")
            require_pairs(d_head=d_head)
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.dropout, self.rotary, self.qk_norm = dropout, rotary, qk_norm
        self.q_proj = nn.Linear(d_model, n_heads * d_head, bias=bias)
        self.k_proj = nn.Linear(d_model, n_kv_heads * d_head, bias=bias)
        self.v_proj = nn.Linear(d_model, n_kv_heads * d_head, bias=bias)
        self.out_proj = nn.Linear(n_heads * d_head, d_model, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "*batch query d_model"],
        visible: Bool[Tensor, "*#mask #query #key"] | None = None,
        source: Float[Tensor, "*batch key d_model"] | None = None,
        position_ids: Int[Tensor, "*#batch query"] | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "*batch query d_model"]:
        """Return what the sublayer adds to the residual stream at each position."""
        z = self.attend(x, visible, source, position_ids, cache).z  # [*batch, head, query, d_head]
        return self.out_proj(merge_heads(z))  # [*batch, query, d_model]

    def attend(
        self,
        x: Float[Tensor, "*batch query d_model"],
        visible: Bool[Tensor, "*#mask #query #key"] | None = None,
        source: Float[Tensor, "*batch key d_model"] | None = None,
        position_ids: Int[Tensor, "*#batch query"] | None = None,
        cache: LayerCache | None = None,
    ) -> AttentionOutput:
        """Return every head's own scores, probabilities and mix, before they are added up.

        Args:
            x: the positions that ask.
            visible: True where a query may read a key; broadcasts over texts and heads.
            source: the positions that are asked, by default ``x`` itself (self-attention).
            position_ids: the numbers that ``rotary`` turns by; left out, 0, 1, 2 and so on.
                Those of another ``source`` are always counted from 0.
            cache: keys and values of the positions before ``x``, which those of ``x`` are added
                to; ``visible`` then has a column for each of them too.
        """
        if cache is not None and source is not None:
            raise ValueError("source must be left out with a cache: a cache is of x itself")
        _require_clear_axes(visible, x)
        require_width(self.q_proj.in_features, x=x, source=x if source is None else source)
        if source is None:
            qk, v = self._read_together(x)
            q, k = self._prepare(qk, position_ids).split([self.n_heads, self.n_kv_heads], dim=-2)
        else:
            q = self._prepare(self.q_proj(x).unflatten(-1, (self.n_heads, -1)), position_ids)
            k = self._prepare(self.k_proj(source).unflatten(-1, (self.n_kv_heads, -1)), None)
            v = self.v_proj(source).unflatten(-1, (self.n_kv_heads, -1))
        q, k, v = (x.transpose(-3, -2) for x in (q, k, v))  # [*batch, head, seq, d_head]
        if cache is not None:
            k, v = cache.extend(k, v)  # the keys of all positions so far, turned long ago
        dropout = self.dropout if self.training else 0.0
        return grouped_attention(q, k, v, visible, dropout=dropout)

    def stacked_by_head(self) -> list[tuple[nn.Parameter, int]]:
        """Return the weights that hold one matrix per head below the other, and how many."""
        return [(self.q_proj.weight, self.n_heads), (self.k_proj.weight, self.n_kv_heads),
                (self.v_proj.weight, self.n_kv_heads)]  # fmt: skip

    def _read_together(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Make queries and keys in one tensor, values in another: [*batch, seq, head, d_head]."""
        layers = self.q_proj, self.k_proj, self.v_proj
        if torch.is_grad_enabled():
            # One product is faster than three where there is enough to read to pay for the copy.
            weight = torch.cat([layer.weight for layer in layers])
            bias = None
            if self.q_proj.bias is not None:
                bias = torch.cat([layer.bias for layer in layers])
            heads = functional.linear(x, weight, bias)
        else:
            heads = torch.cat([layer(x) for layer in layers], dim=-1)
        n_qk = self.n_heads + self.n_kv_heads
        heads = heads.unflatten(-1, (n_qk + self.n_kv_heads, -1))
        return heads.split([n_qk, self.n_kv_heads], dim=-2)

    def _prepare(
        self,
        x: Float[Tensor, "*batch seq head d_head"],
        position_ids: Int[Tensor, "*#batch seq"] | None,
    ) -> Float[Tensor, "*batch seq head d_head"]:
        """Norm and turn queries or keys, where this layer does so."""
        if self.qk_norm:
            x = rms_norm(x)
        return x if self.rotary is None else self._turn(x, position_ids)

    def _turn(
        self,
        x: Float[Tensor, "*batch seq head d_head"],
        position_ids: Int[Tensor, "*#batch seq"] | None,
    ) -> Float[Tensor, "*batch seq head d_head"]:
        """Turn every head's queries or keys by the same angles."""
        if position_ids is None:
            position_ids = torch.arange(x.shape[-3], device=x.device)
        require_position_ids(position_ids, tuple(x.shape[:-2]))
        return self.rotary.at_once(x, position_ids)
