"""Heads: what is asked of BERT's positions, once the encoder has done its work."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import BertConfig, require_whole
from course_lib.mechanisms.activations import gelu
from course_lib.mechanisms.masks import require_real
from course_lib.mechanisms.norms import LayerNorm
from course_lib.mechanisms.require import require_width


class Pooler(nn.Module):
    r"""Let the first position, ``[CLS]``, speak for the whole text.

    .. math:: \operatorname{pooled} = \tanh(W x_0 + b)

    Source:
        Devlin et al. 2019, section 3 ("the final hidden vector of the special [CLS] token");
        the layer and the tanh are in the released code only.
    """

    def __init__(self, d_model: int):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], real: Bool[Tensor, "batch seq"] | None = None
    ) -> Float[Tensor, "batch d_model"]:
        """Return one vector for each text.

        Args:
            x: what the encoder has written at each position.
            real: True at a token of the text; with padding on the left, the first token is not
                at the first place.
        """
        _require_positions(self.dense.in_features, x)
        if real is None:
            return torch.tanh(self.dense(x[:, 0]))
        _require_one_a_position(real, x)
        first = real.int().argmax(dim=-1)  # [batch]; of equals, argmax takes the first
        texts = torch.arange(len(x), device=x.device)
        return torch.tanh(self.dense(x[texts, first]))


class MaskedTokenHead(nn.Module):
    """Score every token of the vocabulary as the one that stood at a position.

    One more layer, GELU and layer norm lead back to the space of the token table, whose rows are
    then compared with the result.

    Args:
        config: sizes of the model.
        tokens: the table of the embedding; it is the weight of ``decoder`` too.

    Source:
        Devlin et al. 2019, section 3.1, task 1; all but the decoder is in the released code only.
    """

    def __init__(self, config: BertConfig, tokens: nn.Embedding):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = LayerNorm(config.d_model, config.norm_eps)
        self.decoder = nn.Linear(config.d_model, config.vocab_size)
        if tokens.weight.shape != self.decoder.weight.shape:
            raise ValueError(
                f"tokens must be a table of shape {tuple(self.decoder.weight.shape)}, "
                f"got {tuple(tokens.weight.shape)}"
            )
        self.decoder.weight = tokens.weight
        nn.init.zeros_(self.decoder.bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab"]:
        """Return the logits of each position."""
        require_width(self.dense.in_features, x=x)
        return self.decoder(self.norm(gelu(self.dense(x))))


class NextSentenceHead(nn.Module):
    """Score the two answers to: is the second sentence the one that followed the first?

    Answer 0 is "it is", answer 1 is "it comes from elsewhere".

    Source:
        Devlin et al. 2019, section 3.1, task 2; the order of the answers is the released code's.
    """

    def __init__(self, d_model: int):
        super().__init__()
        self.dense = nn.Linear(d_model, 2)

    def forward(self, pooled: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch 2"]:
        """Return two logits for each text."""
        require_width(self.dense.in_features, pooled=pooled)
        return self.dense(pooled)


class SentenceHead(nn.Module):
    """Score the answers to a question about a whole text, be it one sentence or two.

    The pooled vector, dropout, and one layer: two texts meet in the encoder, not here.

    Args:
        d_model: width of the encoder.
        n_classes: how many answers there are.
        dropout: share of the pooled vector that is set to zero while training.

    Source:
        Devlin et al. 2019, section 4.1; appendix, figure 4 (a) and (b).
    """

    def __init__(self, d_model: int, n_classes: int, dropout: float = 0.0):
        super().__init__()
        require_whole(1, n_classes=n_classes)
        self.pooler = Pooler(d_model)
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(d_model, n_classes)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], real: Bool[Tensor, "batch seq"] | None = None
    ) -> Float[Tensor, "batch class"]:
        """Return one logit for each answer; the arguments are those of ``Pooler``."""
        return self.dense(self.dropout(self.pooler(x, real)))


class TagHead(nn.Module):
    """Score the tags of each token on its own: person, place, ...

    Args:
        d_model: width of the encoder.
        n_tags: how many tags there are, "none of these" among them.
        dropout: share of each vector that is set to zero while training.

    Source:
        Devlin et al. 2019, section 5.3; appendix, figure 4 (d).
    """

    def __init__(self, d_model: int, n_tags: int, dropout: float = 0.0):
        super().__init__()
        require_whole(1, n_tags=n_tags)
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(d_model, n_tags)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], real: Bool[Tensor, "batch seq"] | None = None
    ) -> Float[Tensor, "batch seq tag"]:
        """Return one logit for each tag at each position; those at padding mean nothing."""
        require_width(self.dense.in_features, x=x)
        return self.dense(self.dropout(x))


class SpanLogits(NamedTuple):
    """How well each position would do as the first one of the answer, and as the last one."""

    start: Float[Tensor, "batch seq"]
    end: Float[Tensor, "batch seq"]


class SpanHead(nn.Module):
    """Score each token as the first of the answer, and as its last: two vectors, no more.

    Source:
        Devlin et al. 2019, section 4.2; appendix, figure 4 (c).
    """

    def __init__(self, d_model: int):
        super().__init__()
        self.dense = nn.Linear(d_model, 2)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], real: Bool[Tensor, "batch seq"] | None = None
    ) -> SpanLogits:
        """Return both scores of each position; padding, where ``real`` is False, has -inf.

        Agrees with: ``BertForQuestionAnswering`` of Hugging Face transformers on texts without
            padding.  Differs: there, padding may win.
        """
        _require_positions(self.dense.in_features, x)
        scores = self.dense(x)
        if real is not None:
            _require_one_a_position(real, x)
            scores = scores.masked_fill(~real.unsqueeze(-1), float("-inf"))
        return SpanLogits(*scores.unbind(-1))


def _require_positions(d_model: int, x: object) -> None:
    """Raise unless x holds vectors of this width, at least one position for each text."""
    require_width(d_model, x=x)
    if x.ndim != 3 or not x.shape[1]:
        raise ValueError(f"x must have shape (batch, seq, d_model={d_model}), got {tuple(x.shape)}")


def _require_one_a_position(real: object, x: Tensor) -> None:
    """Raise unless real marks tokens, at least one of each text, and fits the positions."""
    require_real(real)
    if real.shape != x.shape[:2]:
        raise ValueError(
            f"real must hold one entry for each position, shape {tuple(x.shape[:2])}, "
            f"got {tuple(real.shape)}"
        )
