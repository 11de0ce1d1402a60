"""BERT: embeddings, a stack of blocks in which every position may read every other one."""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.config import BertConfig, require_config
from course_lib.mechanisms.blocks import PostNormBlock
from course_lib.mechanisms.embeddings import InputEmbedding, require_ids, require_same_shape
from course_lib.mechanisms.initialisation import initialise_bert
from course_lib.mechanisms.losses import cross_entropy
from course_lib.mechanisms.masks import padding_mask
from course_lib.mechanisms.positions import count_positions
from course_lib.models.heads import MaskedTokenHead, NextSentenceHead, Pooler


class Bert(nn.Module):
    """An encoder-only transformer with the layer norm after each sublayer.

    Agrees with: ``BertModel`` of Hugging Face transformers (``models.checkpoints`` maps the
    names).  It has the exact GELU, as Google's code had when it was released; that code went
    over to the tanh form later.

    Source:
        Devlin et al. 2019, section 3.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        require_config(BertConfig, config)
        self.config = config
        self.embedding = InputEmbedding(config)
        self.blocks = nn.ModuleList(PostNormBlock(config) for _ in range(config.n_layers))
        initialise_bert(self, config.init_std)

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        real: Bool[Tensor, "batch seq"] | None = None,
        segment_ids: Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Return a vector for each position, in the light of the whole text.

        Args:
            token_ids: texts of one length.
            real: False at the padding that made them so; left out, all tokens are real.  What
                stands at padding means nothing and must not be graded.
            segment_ids: 0 in the first sentence, 1 in the second; left out, 0 everywhere.

        Raises:
            ValueError: if an id lies outside its table, the text is too long, or ``real`` or
                ``segment_ids`` do not fit it.
        """
        require_ids(token_ids, self.config.vocab_size)
        visible = position_ids = None
        if real is not None:
            require_same_shape(token_ids, real=real)
            visible, position_ids = padding_mask(real), count_positions(real)
        x = self.embedding(token_ids, segment_ids, position_ids)
        for block in self.blocks:
            x = block(x, visible, position_ids)
        return x


class PretrainingLogits(NamedTuple):
    """What BERT answers to its two tasks."""

    tokens: Float[Tensor, "batch seq vocab"]
    next_sentence: Float[Tensor, "batch 2"]


class BertPretraining(nn.Module):
    """BERT with the two heads it is pre-trained with: masked tokens and next sentence.

    Agrees with: ``BertForPreTraining`` of Hugging Face transformers (both logits, loss and all
    gradients).  Differs: the pooler reads the first real token, which with padding on the left
    is not at the first place.

    Source:
        Devlin et al. 2019, section 3.1.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        require_config(BertConfig, config)
        self.config = config
        self.bert = Bert(config)
        self.mlm_head = MaskedTokenHead(config, self.bert.embedding.tokens)
        self.pooler = Pooler(config.d_model)
        self.nsp_head = NextSentenceHead(config.d_model)
        for added in (self.mlm_head.dense, self.pooler, self.nsp_head):
            initialise_bert(added, config.init_std)

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        real: Bool[Tensor, "batch seq"] | None = None,
        segment_ids: Int[Tensor, "batch seq"] | None = None,
    ) -> PretrainingLogits:
        """Score the vocabulary at every position, and whether the second sentence follows.

        The arguments are those of ``Bert``.
        """
        x = self.bert(token_ids, real, segment_ids)
        return PretrainingLogits(self.mlm_head(x), self.nsp_head(self.pooler(x, real)))


def pretraining_loss(
    logits: PretrainingLogits,
    token_targets: Int[Tensor, "batch seq"],
    next_targets: Int[Tensor, " batch"],
) -> Float[Tensor, ""]:
    """Add the surprise at the hidden tokens and the surprise at the next sentence.

    Args:
        logits: of ``BertPretraining``.
        token_targets: the tokens that were hidden, and ``IGNORE`` where none was.
        next_targets: 0 where the second sentence did follow the first, 1 where it came from
            elsewhere; ``IGNORE`` where a text has no second one.

    Raises:
        TypeError, ValueError: as for ``mechanisms.losses.cross_entropy``, with the name of the
            task before it.

    Units:
        nats: the mean over the hidden tokens plus the mean over the pairs.

    Source:
        Devlin et al. 2019, appendix A.2 ("the sum of the mean masked LM likelihood and the mean
        next sentence prediction likelihood").
    """
    tokens = _surprise("token_targets", logits.tokens, token_targets)
    return tokens + _surprise("next_targets", logits.next_sentence, next_targets)


def _surprise(name: str, logits: Tensor, targets: Tensor) -> Float[Tensor, ""]:
    """Mean cross-entropy of one task; an error says which task it was."""
    try:
        return cross_entropy(logits, targets)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None
