"""GPT: embeddings, a stack of blocks that may not see the future, and a vote on the next token."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.config import GPTConfig, require_config, require_whole
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.embeddings import TokenEmbedding, require_ids, require_same_shape
from course_lib.mechanisms.initialisation import initialise_gpt
from course_lib.mechanisms.masks import causal_mask, combine, padding_mask
from course_lib.mechanisms.norms import LayerNorm
from course_lib.mechanisms.positions import (
    LearnedPositions,
    SinusoidalPositions,
    count_positions,
)
from course_lib.mechanisms.require import require_position_ids
from course_lib.mechanisms.sampling import sample


class GPT(nn.Module):
    """A decoder-only transformer with the layer norm before each sublayer, as in GPT-2.

    Agrees with: ``GPT2LMHeadModel`` of Hugging Face transformers (logits, loss and gradients;
    ``models.checkpoints`` maps the names).

    Source:
        Radford et al. 2019, section 2.3.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        require_config(GPTConfig, config)
        self.config = config
        self.tokens = TokenEmbedding(config.vocab_size, config.d_model)
        self.positions = _added_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(PreNormBlock(config) for _ in range(config.n_layers))
        self.final_norm = LayerNorm(config.d_model, config.norm_eps)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tie_embeddings:
            self.lm_head.weight = self.tokens.weight
        initialise_gpt(self, config.init_std)

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        real: Bool[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq vocab"]:
        """Score every token of the vocabulary as the next one, at every position.

        Args:
            token_ids: texts of one length.
            real: False at the padding that made them so; left out, all tokens are real.  The
                scores at padding mean nothing and must not be graded.

        Raises:
            ValueError: if an id lies outside the vocabulary, the text is too long, or ``real``
                does not fit it.
        """
        require_ids(token_ids, self.config.vocab_size)
        seq_len = token_ids.shape[-1]
        visible = causal_mask(seq_len, device=token_ids.device)
        position_ids = torch.arange(seq_len, device=token_ids.device)
        if real is not None:
            require_same_shape(token_ids, real=real)
            visible = combine(visible, padding_mask(real))
            position_ids = count_positions(real)
        x = self.dropout(self.embed(token_ids, position_ids))
        for block in self.blocks:
            x = block(x, visible, position_ids)
        return self.lm_head(self.final_norm(x))

    def embed(
        self,
        token_ids: Int[Tensor, "batch seq"],
        position_ids: Int[Tensor, "*#batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return what the first block reads: the tokens' vectors, and positions where added."""
        x = self.tokens(token_ids)
        if self.positions is None:
            return x
        if position_ids is None:
            position_ids = torch.arange(token_ids.shape[-1], device=token_ids.device)
        require_position_ids(position_ids, tuple(token_ids.shape))
        return x + self.positions(position_ids).to(x)

    @torch.no_grad()
    def generate(
        self,
        token_ids: Int[Tensor, "batch seq"],
        n_new: int,
        *,
        temperature: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "batch longer"]:
        """Go on with a text, one drawn token at a time; the model reads the last max_seq_len.

        Args:
            token_ids: the text so far, at least one token.
            n_new: how many tokens to add.
            temperature: 0 is greedy, see ``mechanisms.sampling``.

        Returns:
            The text so far and the new tokens behind it.

        Raises:
            TypeError, ValueError: if ``n_new`` is no whole number >= 0, the ids do not fit the
                model, or nothing can be drawn (``mechanisms.sampling``).
        """
        require_whole(0, n_new=n_new)
        require_ids(token_ids, self.config.vocab_size)
        was_training = self.training
        self.eval()
        try:
            for _ in range(n_new):
                logits = self(token_ids[:, -self.config.max_seq_len :])[:, -1]
                new = sample(logits, temperature, generator)
                token_ids = functional.pad(token_ids, (0, 1))
                token_ids[:, -1] = new
        finally:
            self.train(was_training)
        return token_ids


def _added_positions(config: GPTConfig) -> nn.Module | None:
    """What is added to the tokens' vectors; None for rotary positions, which come later."""
    if config.positions == "learned":
        return LearnedPositions(config.max_seq_len, config.d_model)
    return SinusoidalPositions(config.d_model) if config.positions == "sinusoidal" else None
