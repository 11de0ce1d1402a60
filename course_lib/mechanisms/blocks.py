"""Blocks: attention and feed-forward, each read from and added back to the residual stream."""

from collections.abc import Callable

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.config import BertConfig, GPTConfig, TransformerConfig, require_config
from course_lib.mechanisms.activations import gelu, gelu_tanh, relu_squared
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.feed_forward import FeedForward
from course_lib.mechanisms.kv_cache import LayerCache
from course_lib.mechanisms.norms import LayerNorm, norm_for
from course_lib.mechanisms.rotary import Rotary


class PreNormBlock(nn.Module):
    r"""The block of GPT-2: normalise a copy, let a sublayer read it, add the result.

    .. math:: x \leftarrow x + \operatorname{Attn}(\operatorname{LN}_1(x)), \qquad
              x \leftarrow x + \operatorname{FFN}(\operatorname{LN}_2(x))

    The stream ``x`` itself is never normalised inside the block.  The configuration may ask for
    other norms, another bend, and no biases.

    Source:
        Radford et al. 2019, section 2.3.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        require_config(GPTConfig, config)
        self.norm_1 = norm_for(config.norm, config.d_model, config.norm_eps)
        self.attn = MultiHeadAttention(
            config.d_model,
            config.n_heads,
            config.d_head,
            n_kv_heads=config.n_kv_heads,
            dropout=config.dropout,
            rotary=Rotary() if config.positions == "rotary" else None,
            bias=config.biases,
            qk_norm=config.qk_norm,
        )
        self.norm_2 = norm_for(config.norm, config.d_model, config.norm_eps)
        bend = relu_squared if config.activation == "relu squared" else gelu_tanh
        self.ffn = FeedForward(config.d_model, config.d_ff, bend, bias=config.biases)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        visible: Bool[Tensor, "*#mask #seq key"] | None = None,
        position_ids: Int[Tensor, "*#batch seq"] | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return the residual stream after both sublayers have added to it.

        Args:
            x: the stream; with a cache, at the new positions alone.
            visible: who may read whom; with a cache, a column for each position so far.
            position_ids: for rotary positions.
            cache: of this layer; attention alone looks back, so it alone has one.
        """
        read = self.norm_1(x)
        x = x + self.dropout(self.attn(read, visible, position_ids=position_ids, cache=cache))
        return x + self.dropout(self.ffn(self.norm_2(x)))


class PostNormBlock(nn.Module):
    r"""The block of BERT: a sublayer reads the stream itself, and the sum is normalised.

    .. math:: x \leftarrow \operatorname{LN}_1(x + \operatorname{Attn}(x)), \qquad
              x \leftarrow \operatorname{LN}_2(x + \operatorname{FFN}(x))

    Source:
        Vaswani et al. 2017, section 3.1; Devlin et al. 2019, section 3, keeps it, with GELU in
        place of ReLU.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        require_config(BertConfig, config)
        self.attn = MultiHeadAttention(
            config.d_model, config.n_heads, config.d_head, dropout=config.dropout,
            rotary=Rotary() if config.positions == "rotary" else None, qk_norm=config.qk_norm,
        )  # fmt: skip
        self.norm_1 = LayerNorm(config.d_model, config.norm_eps)
        self.ffn = FeedForward(config.d_model, config.d_ff, activation=gelu)
        self.norm_2 = LayerNorm(config.d_model, config.norm_eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        visible: Bool[Tensor, "*#mask #seq seq"] | None = None,
        position_ids: Int[Tensor, "*#batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return the residual stream, normalised after each of the two sums."""
        x = self.norm_1(x + self.dropout(self.attn(x, visible, position_ids=position_ids)))
        return self.norm_2(x + self.dropout(self.ffn(x)))


class CrossAttentionBlock(nn.Module):
    r"""The decoder's block of the first transformer: it reads itself, then the encoder's output.

    Args:
        config: sizes.
        norm_first: True normalises what each sublayer reads (as :class:`PreNormBlock`), False
            the sum that it leaves (as :class:`PostNormBlock` and the paper).

    Source:
        Vaswani et al. 2017, section 3.1, with GELU in place of ReLU.
    """

    def __init__(self, config: TransformerConfig, *, norm_first: bool):
        super().__init__()
        widths = config.d_model, config.n_heads, config.d_head
        self.norm_first = norm_first
        self.attn = MultiHeadAttention(*widths, dropout=config.dropout)
        self.cross_attn = MultiHeadAttention(*widths, dropout=config.dropout)
        self.ffn = FeedForward(config.d_model, config.d_ff, activation=gelu)
        self.norm_1, self.norm_2, self.norm_3 = (
            LayerNorm(config.d_model, config.norm_eps) for _ in range(3)
        )
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        memory: Float[Tensor, "batch source d_model"],
        visible: Bool[Tensor, "*#mask #seq seq"] | None = None,
        memory_visible: Bool[Tensor, "*#mask #seq source"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return the residual stream after all three sublayers have added to it.

        Args:
            x: the decoder's stream.
            memory: what the encoder has written, one vector a source position.
            visible: who may read whom within ``x``.
            memory_visible: which source positions may be read.
        """
        x = self._add(x, self.norm_1, lambda read: self.attn(read, visible))
        x = self._add(x, self.norm_2, lambda read: self.cross_attn(read, memory_visible, memory))
        return self._add(x, self.norm_3, self.ffn)

    def _add(
        self, x: Tensor, norm: LayerNorm, sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "batch seq d_model"]:
        """Add what a sublayer finds, with the norm before it or behind the sum."""
        if self.norm_first:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))
