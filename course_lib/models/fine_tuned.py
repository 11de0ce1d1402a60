"""A pre-trained encoder with one new head: what BERT is made for."""

from copy import deepcopy

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.mechanisms.initialisation import initialise_bert
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.bert import Bert, BertPretraining
from course_lib.models.heads import SentenceHead, SpanHead, SpanLogits, TagHead

Head = SentenceHead | TagHead | SpanHead


class FineTuned(nn.Module):
    """An encoder and a head for a task of its own.

    Args:
        pretrained: its encoder is copied, so one encoder can serve many tasks.  Of a
            ``BertPretraining`` a ``SentenceHead`` takes the pooler over as well.
        head: starts anew, with random weights like those the encoder once started from.

    Agrees with: ``BertForSequenceClassification``, ``BertForTokenClassification`` and
        ``BertForQuestionAnswering`` of Hugging Face transformers.

    Source:
        Devlin et al. 2019, section 3.2; appendix, figure 4.
    """

    def __init__(self, pretrained: Bert | BertPretraining, head: Head):
        super().__init__()
        if not isinstance(pretrained, Bert | BertPretraining):
            raise TypeError(f"pretrained must be a BERT, got {type(pretrained).__name__}")
        if not isinstance(head, Head):
            raise TypeError(f"head must be one of heads.py's, got {type(head).__name__}")
        whole = isinstance(pretrained, BertPretraining)
        self.config = pretrained.config
        self.encoder = deepcopy(pretrained.bert if whole else pretrained)
        self.head = head
        initialise_bert(head, self.config.init_std)
        if whole and isinstance(head, SentenceHead):
            head.pooler.load_state_dict(pretrained.pooler.state_dict())

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        real: Bool[Tensor, "batch seq"] | None = None,
        segment_ids: Int[Tensor, "batch seq"] | None = None,
    ) -> Tensor | SpanLogits:
        """Return what the head says; the arguments are those of ``Bert``."""
        return self.head(self.encoder(token_ids, real, segment_ids), real)


def span_loss(
    logits: SpanLogits, starts: Int[Tensor, " batch"], ends: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """Average the surprise at the first position of the answer and the surprise at its last.

    Each is a choice among all positions of the text.

    Args:
        logits: of a ``SpanHead``.
        starts: the first position of each answer.
        ends: its last one, which belongs to it.

    Units:
        nats per choice.

    Source:
        Devlin et al. 2019, section 4.2, says "the sum of the log-likelihoods"; the released code
        takes the mean of the two, as here.
    """
    return (cross_entropy(logits.start, starts) + cross_entropy(logits.end, ends)) / 2


def best_span(
    logits: SpanLogits, allowed: Bool[Tensor, "batch seq"], longest: int | None = None
) -> Int64[Tensor, "batch 2"]:
    """Find first and last position of the best answer: the largest sum of both scores.

    The two best positions on their own may stand in the wrong order; so all pairs are compared.

    Args:
        logits: of a ``SpanHead``.
        allowed: True where an answer may stand; at least one position of each text.
        longest: tokens of an answer; left out, any number.

    Cost:
        seq squared sums for each text.

    Source:
        Devlin et al. 2019, section 4.2.
    """
    if not allowed.any(dim=-1).all():
        raise ValueError("allowed must leave each text at least one position, got a row of False")
    first = torch.arange(allowed.shape[-1], device=allowed.device)
    width = first - first.unsqueeze(-1) + 1  # [start end], tokens of such an answer
    possible = width >= 1
    if longest is not None:
        require_whole(1, longest=longest)
        possible = possible & (width <= longest)
    possible = possible & allowed.unsqueeze(-1) & allowed.unsqueeze(-2)
    scores = logits.start.unsqueeze(-1) + logits.end.unsqueeze(-2)
    best = scores.masked_fill(~possible, float("-inf")).flatten(1).argmax(-1)
    return torch.stack([best // len(first), best % len(first)], dim=-1)
