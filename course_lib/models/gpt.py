"""GPT: embeddings, a stack of blocks that may not see the future, and a vote on the next token."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.config import GPTConfig, require_config, require_whole
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.embeddings import TokenEmbedding, require_ids, require_same_shape
from course_lib.mechanisms.initialisation import initialise_gpt
from course_lib.mechanisms.kv_cache import KVCache
from course_lib.mechanisms.masks import (
    causal_mask,
    combine,
    padding_mask,
    require_left_padding,
)
from course_lib.mechanisms.norms import norm_for
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
        self.final_norm = norm_for(config.norm, config.d_model, config.norm_eps)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tie_embeddings:
            self.lm_head.weight = self.tokens.weight
        initialise_gpt(self, config.init_std)

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        real: Bool[Tensor, "batch key"] | None = None,
        cache: KVCache | None = None,
    ) -> Float[Tensor, "batch seq vocab"]:
        """Score every token of the vocabulary as the next one, at every position.

        Args:
            token_ids: texts of one length; with a cache, only the tokens that are new.
            real: False at the padding that made them so; left out, all tokens are real.  The
                scores at padding mean nothing and must not be graded.  With a cache, it covers
                the text from its beginning.
            cache: what was read before, from :meth:`new_cache`; the new tokens are added to it.
                Nothing is recorded for gradients then.

        Raises:
            ValueError: if an id lies outside the vocabulary, the text is too long, ``real``
                does not fit it, or the cache is full or of another model's shape.  The cache is
                then as it was.
        """
        require_ids(token_ids, self.config.vocab_size)
        start = 0 if cache is None else cache.start_of(self.config, *token_ids.shape)
        caches = [None] * len(self.blocks) if cache is None else cache.layers
        visible, position_ids = _places(token_ids, real, start)
        with torch.set_grad_enabled(cache is None and torch.is_grad_enabled()):
            x = self.dropout(self.embed(token_ids, position_ids))
            for block, kept in zip(self.blocks, caches, strict=True):
                x = block(x, visible, position_ids, kept)
            logits = self.lm_head(self.final_norm(x))
        if cache is not None:
            cache.accept(token_ids.shape[1])
        return logits

    def new_cache(self, batch_size: int = 1, capacity: int | None = None) -> KVCache:
        """Make an empty cache for this model, of the type and on the device of its weights.

        Args:
            batch_size: texts that will be read side by side.
            capacity: tokens that room is reserved for; left out, ``max_seq_len``.
        """
        weight = self.tokens.weight
        return KVCache(self.config, batch_size, capacity, dtype=weight.dtype, device=weight.device)

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

    def generate(
        self,
        token_ids: Int[Tensor, "batch seq"],
        n_new: int,
        *,
        temperature: float = 1.0,
        generator: torch.Generator | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        real: Bool[Tensor, "batch seq"] | None = None,
        use_cache: bool = True,
    ) -> Int[Tensor, "batch longer"]:
        """Go on with a text, one drawn token at a time; the model reads the last max_seq_len.

        Args:
            token_ids: the text so far, at least one token.
            n_new: how many tokens to add.
            temperature, top_k, top_p: how a token is drawn, see ``mechanisms.sampling``; 0 is
                greedy.
            generator: source of randomness, for a text that can be repeated.
            real: False at padding, which must stand on the left: what is new goes to the right.
            use_cache: False reads the whole text anew for every token, with the same result.
                Beyond ``max_seq_len`` that is done anyway: the window slides, so every token
                gets another position, and keys of the old positions are of no use.

        Returns:
            The text so far and the new tokens behind it.

        Raises:
            TypeError, ValueError: if ``n_new`` is no whole number >= 0, the ids do not fit the
                model, or nothing can be drawn (``mechanisms.sampling``).

        Cost:
            With the cache one token costs one token's projections and its attention to all
            before it; without it, those of the whole text.
        """
        require_whole(0, n_new=n_new)
        require_ids(token_ids, self.config.vocab_size)
        if real is not None:
            require_same_shape(token_ids, real=real)
            require_left_padding(real)

        def draw(logits: Tensor) -> Tensor:
            return sample(logits, temperature, generator, top_k=top_k, top_p=top_p)

        was_training = self.training
        self.eval()
        try:
            longer = self._write(token_ids, n_new, real, draw, use_cache)
        finally:
            self.train(was_training)
        return longer.clone()  # an ordinary tensor again, fit for training on it

    @torch.inference_mode()  # not even what no_grad keeps: a fifth of a small model's time
    def _write(
        self,
        token_ids: Tensor,
        n_new: int,
        real: Tensor | None,
        draw: Callable[[Tensor], Tensor],
        use_cache: bool,
    ) -> Int[Tensor, "batch longer"]:
        """Draw one token after the other behind a text."""
        cache = self.new_cache(len(token_ids)) if use_cache else None
        for _ in range(n_new):
            new = draw(self._next_logits(token_ids, real, cache)).unsqueeze(-1)
            token_ids = torch.cat([token_ids, new.to(token_ids)], dim=-1)
            real = real if real is None else functional.pad(real, (0, 1), value=True)
        return token_ids

    def _next_logits(
        self, token_ids: Tensor, real: Tensor | None, cache: KVCache | None
    ) -> Float[Tensor, "batch vocab"]:
        """Score the token behind the text; with a cache, read only what it has not read yet."""
        limit = self.config.max_seq_len
        if cache is None or token_ids.shape[1] > limit:
            real = real if real is None else real[:, -limit:]
            return self(token_ids[:, -limit:], real)[:, -1]
        return self(token_ids[:, cache.length :], real, cache)[:, -1]


def _places(
    token_ids: Int[Tensor, "batch seq"], real: Bool[Tensor, "batch key"] | None, start: int
) -> tuple[Bool[Tensor, "*#mask seq key"] | None, Int[Tensor, "*#batch seq"]]:
    """Say who may read whom, and number the positions, for tokens that begin at ``start``."""
    n_new, end = token_ids.shape[1], start + token_ids.shape[1]
    if real is None:
        # The newest token may read all before it: alone, it needs no mask.
        visible = None if n_new == 1 else causal_mask(n_new, end, device=token_ids.device)
        return visible, torch.arange(start, end, device=token_ids.device)
    if tuple(real.shape) != (len(token_ids), end):
        raise ValueError(
            f"real must hold one entry for each token, shape {(len(token_ids), end)}, "
            f"got {tuple(real.shape)}"
        )
    visible = causal_mask(n_new, end, device=token_ids.device)
    return combine(visible, padding_mask(real)), count_positions(real)[:, start:]


def _added_positions(config: GPTConfig) -> nn.Module | None:
    """What is added to the tokens' vectors; None for rotary positions, which come later."""
    if config.positions == "learned":
        return LearnedPositions(config.max_seq_len, config.d_model)
    return SinusoidalPositions(config.d_model) if config.positions == "sinusoidal" else None
