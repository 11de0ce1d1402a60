"""Pairs of story parts as BERT reads them: one word for word, and many counted (lesson 62)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.masking import Masked, Masking
from course_lib.data.paired_texts import PairRows
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.masking_statistics import MaskedStory, fates_of, printed_masking
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.pretraining import PretrainingBatch, hide


def masked_pair(batch: PretrainingBatch, row: int) -> MaskedStory:
    """Turn one row of a batch back into words, with what became of each."""
    require_whole(0, row=row)
    vocabulary = story_tokenizer().vocabulary
    n_real = int(batch.real[row].sum())
    seen, targets = batch.token_ids[row, :n_real], batch.token_targets[row, :n_real]
    was = torch.where(targets == IGNORE, seen, targets)
    fates = fates_of(was, Masked(seen, targets), vocabulary.id_of("[MASK]"))
    words, shown = (tuple(vocabulary.tokens[i] for i in ids.tolist()) for ids in (was, seen))
    return MaskedStory(words, shown, tuple(fates))


@dataclass(frozen=True)
class Asked:
    """What a masking asks for, counted over many pairs; shares of the tokens named.

    Attributes:
        selected: of the ordinary tokens, those that are asked for.
        masked, random, kept: of the selected ones.
        false: of the ordinary tokens that do not read ``[MASK]``, those that are not what was
            there.
        special: of ``[CLS]``, ``[SEP]`` and padding, those that were changed or are asked for.
        a_pair: questions for each pair.
    """

    selected: float
    masked: float
    random: float
    kept: float
    false: float
    special: float
    a_pair: float


def count_asked(rows: PairRows, masking: Masking, seed: int = 0) -> Asked:
    """Hide tokens of some pairs, and count."""
    batch = hide(rows, masking, torch.Generator().manual_seed(seed))
    return _count(rows.token_ids, batch.token_ids, batch.token_targets != IGNORE, masking)


def count_asked_printed(rows: PairRows, masking: Masking, seed: int = 0) -> Asked:
    """The same for a masking as it is found in print; only what it changed is known to be asked."""
    generator = torch.Generator().manual_seed(seed)
    after = printed_masking(rows.token_ids, masking.mask_id, masking.vocab_size, generator)
    return _count(rows.token_ids, after, after != rows.token_ids, masking)


def _count(before: Tensor, after: Tensor, selected: Tensor, masking: Masking) -> Asked:
    special = torch.isin(before, torch.tensor(masking.special_ids))
    hidden, same = after == masking.mask_id, after == before

    def share(of: Tensor, among: Tensor) -> float:
        return (of & among).sum().item() / max(1, among.sum().item())

    chosen = selected & ~special
    return Asked(
        selected=share(selected, ~special),
        masked=share(hidden, chosen),
        random=share(~same & ~hidden, chosen),
        kept=share(same, chosen),
        false=share(~same, ~special & ~hidden),
        special=share(selected | ~same, special),
        a_pair=chosen.sum().item() / len(before),
    )
