"""Blocks: attention and feed-forward, each read from and added back to the residual stream."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import GPTConfig
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.feed_forward import FeedForward
from course_lib.mechanisms.norms import LayerNorm


class PreNormBlock(nn.Module):
    r"""The block of GPT-2: normalise a copy, let a sublayer read it, add the result.

    .. math:: x \leftarrow x + \operatorname{Attn}(\operatorname{LN}_1(x)), \qquad
              x \leftarrow x + \operatorname{FFN}(\operatorname{LN}_2(x))

    The stream ``x`` itself is never normalised inside the block.

    Source:
        Radford et al. 2019, section 2.3.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.norm_1 = LayerNorm(config.d_model, config.norm_eps)
        self.attn = MultiHeadAttention(
            config.d_model, config.n_heads, config.d_head, dropout=config.dropout
        )
        self.norm_2 = LayerNorm(config.d_model, config.norm_eps)
        self.ffn = FeedForward(config.d_model, config.d_ff)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        visible: Bool[Tensor, "*#mask seq seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return the residual stream after both sublayers have added to it."""
        x = x + self.dropout(self.attn(self.norm_1(x), visible))
        return x + self.dropout(self.ffn(self.norm_2(x)))
