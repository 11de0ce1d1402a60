"""BERT's task: name the hidden tokens of a pair of texts, and say whether the second follows."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from course_lib.config import BertConfig, TransformerConfig, require_config
from course_lib.data.masking import Masking, mask_tokens
from course_lib.data.paired_texts import FOLLOWS, PairedTexts, PairRows
from course_lib.data.randomness import generator_for
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.mechanisms.softmax import log_softmax
from course_lib.models.bert import BertPretraining
from course_lib.training.batches import require_texts_fit
from course_lib.training.objectives import device_of, looking

KINDS = MASKED, RANDOM, KEPT = ("masked", "random", "kept")  # what became of a selected token


class PretrainingBatch(NamedTuple):
    """Pairs with some of their tokens hidden, and the answers to both questions."""

    token_ids: Int64[Tensor, "pair seq"]
    real: Bool[Tensor, "pair seq"]
    segment_ids: Int64[Tensor, "pair seq"]
    token_targets: Int64[Tensor, "pair seq"]
    next_targets: Int64[Tensor, " pair"]


class SelectedLogits(NamedTuple):
    """Answers at the selected positions only, row by row, and one for each pair."""

    tokens: Float[Tensor, "selected vocab"]
    next_sentence: Float[Tensor, "pair 2"]


@dataclass(frozen=True)
class Pretraining:
    """BERT's two tasks at once: masked tokens (MLM) and the next sentence (NSP).

    Masks are drawn anew with every batch (dynamic masking).  The held-out rows have the same
    masks at every look.

    Args:
        train: the pairs to learn from.
        validation: the pairs to measure on.
        masking: how tokens are hidden, in both.
        train_rate: another share of tokens to select while training; left out, the same.

    Source:
        Devlin et al. 2019, section 3.1 and appendix A.2; masks of each batch: Liu et al. 2019,
        section 4.1; more than 15 % in training: Wettig et al. 2023.
    """

    train: PairedTexts
    validation: PairedTexts
    masking: Masking
    train_rate: float | None = None

    def require_fits(self, config: TransformerConfig) -> None:
        """Raise unless the model is a BERT that knows every id and reads the longest pair."""
        require_config(BertConfig, config)
        if config.vocab_size != self.masking.vocab_size:
            raise ValueError(
                f"vocab_size must be {self.masking.vocab_size} as for the masks, "
                f"got {config.vocab_size}"
            )
        require_texts_fit(config, train=self.train, validation=self.validation)

    def draw(self, seq_len: int, batch_size: int, generator: torch.Generator) -> PretrainingBatch:
        """Draw pairs of about one length, and hide some of their tokens."""
        rate = self.masking.rate if self.train_rate is None else self.train_rate
        rows = self.train.draw(batch_size, generator)
        return hide(rows, replace(self.masking, rate=rate), generator)

    def fixed(self, seq_len: int, n_rows: int) -> PretrainingBatch:
        """Pick pairs spread evenly over the held-out ones, with the same masks each time."""
        return hide(self.validation.spread(n_rows), self.masking, generator_for(0, 0, "held out"))

    def losses(self, model: nn.Module, batch: PretrainingBatch) -> dict[str, Tensor]:
        """Two parts: the mean surprise at the hidden tokens, and at the labels of the pairs.

        A batch in which no token was selected, which only a tiny one can be, teaches no tokens.
        """
        logits = selected_logits(model, batch)
        targets = batch.token_targets[batch.token_targets != IGNORE]
        tokens = cross_entropy(logits.tokens, targets) if len(targets) else 0 * logits.tokens.sum()
        return {"mlm": tokens, "nsp": cross_entropy(logits.next_sentence, batch.next_targets)}

    def graded(self, batch: PretrainingBatch) -> dict[str, int]:
        """The hidden tokens, and the pairs."""
        return {
            "mlm": int((batch.token_targets != IGNORE).sum()), "nsp": len(batch.next_targets)
        }  # fmt: skip

    def measure(
        self, model: nn.Module, batch: PretrainingBatch, batch_size: int
    ) -> dict[str, float]:
        """Measure losses and accuracies of both tasks.

        The figures of the hidden tokens are of pairs whose second text does follow: they alone
        are a text as somebody wrote it, for which a best possible reader may be known.

        Returns:
            ``mlm`` and ``nsp``, in nats, and ``loss``, their sum; the shares of right answers
            ``mlm accuracy``, of which ``masked accuracy``, ``random accuracy`` and ``kept
            accuracy`` are parts, and ``nsp accuracy``.  A figure of nothing is left out.
        """
        return figures(grade(model, batch, self.masking.mask_id, batch_size))


def hide(rows: PairRows, masking: Masking, generator: torch.Generator) -> PretrainingBatch:
    """Hide some tokens of each pair; padding must be among the special ids."""
    token_ids, real, segment_ids, labels = rows
    masked = mask_tokens(token_ids, masking, generator)
    return PretrainingBatch(masked.token_ids, real, segment_ids, masked.targets, labels)


def selected_logits(model: BertPretraining, batch: PretrainingBatch) -> SelectedLogits:
    """Let a BERT answer at the selected positions alone.

    The head over the vocabulary is a good part of a small model's work, and nobody grades its
    answers elsewhere.  The released code gathers the selected positions too.
    """
    x = model.bert(batch.token_ids, batch.real, batch.segment_ids)
    selected = batch.token_targets != IGNORE
    return SelectedLogits(model.mlm_head(x[selected]), model.nsp_head(model.pooler(x, batch.real)))


class Grades(NamedTuple):
    """How a model did at each selected position of the pairs that follow, and at each pair."""

    surprise: Float[Tensor, " selected"]  # nats
    right: Bool[Tensor, " selected"]
    kind: Int64[Tensor, " selected"]  # place in KINDS
    pair_surprise: Float[Tensor, " pair"]
    pair_right: Bool[Tensor, " pair"]


def grade(model: BertPretraining, batch: PretrainingBatch, mask_id: int, batch_size: int) -> Grades:
    """Let a model answer a batch, some pairs at a time, without learning from it."""
    device, parts = device_of(model), []
    with looking(model):
        for few in zip(*(part.split(batch_size) for part in batch), strict=True):
            some = PretrainingBatch(*(part.to(device) for part in few))
            parts.append(_grade(selected_logits(model, some), some, mask_id))
    return Grades(*(torch.cat(column).cpu() for column in zip(*parts, strict=True)))


def _grade(logits: SelectedLogits, batch: PretrainingBatch, mask_id: int) -> Grades:
    """Compare answers with the truth; the positions of pairs that do not follow are left out."""
    selected = batch.token_targets != IGNORE
    follows = (batch.next_targets == FOLLOWS).unsqueeze(-1).expand_as(selected)[selected]
    targets, shown = batch.token_targets[selected][follows], batch.token_ids[selected][follows]
    # A random token that happens to be the true one cannot be told from one that was kept.
    kind = torch.where(shown == targets, KINDS.index(KEPT), KINDS.index(RANDOM))
    kind[shown == mask_id] = KINDS.index(MASKED)
    return Grades(
        *_surprise_and_hit(logits.tokens[follows], targets), kind,
        *_surprise_and_hit(logits.next_sentence, batch.next_targets),
    )  # fmt: skip


def _surprise_and_hit(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Minus the log-probability of each right answer, and whether it is the likeliest."""
    log_probs = log_softmax(logits)
    return -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1), logits.argmax(-1) == targets


def figures(grades: Grades) -> dict[str, float]:
    """Average grades; what there is none of is left out."""
    parts = {
        "mlm": grades.surprise,
        "nsp": grades.pair_surprise,
        "mlm accuracy": grades.right,
        **{f"{kind} accuracy": grades.right[grades.kind == i] for i, kind in enumerate(KINDS)},
        "nsp accuracy": grades.pair_right,
    }
    means = {name: part.double().mean().item() for name, part in parts.items() if len(part)}
    return {"loss": means.get("mlm", 0.0) + means["nsp"], **means}
