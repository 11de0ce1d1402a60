"""Masking: hide some tokens of a text and keep what they were, as BERT's first task asks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int, Int64
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.data.randomness import generator_for
from course_lib.mechanisms.losses import IGNORE
from course_lib.mechanisms.require import require_integers


@dataclass(frozen=True)
class Masking:
    """How many tokens are selected, and what becomes of the selected ones.

    Args:
        mask_id: the id of ``[MASK]``.
        vocab_size: ids are below this; a random token is any of them that is not special.
        special_ids: ids that are never selected and never put in: ``[CLS]``, ``[SEP]``, padding.
            ``mask_id`` belongs to them whether it is named or not.
        rate: the probability of each token to be selected.
        as_mask, as_random: what share of the selected ones becomes ``[MASK]``, and what share a
            random token; the rest stays what it is, and must be predicted all the same.

    Source:
        Devlin et al. 2019, section 3.1 and appendix A.1.  The released code selects exactly 15%
        of each text; here each token is selected by a coin of its own.
    """

    mask_id: int
    vocab_size: int
    special_ids: tuple[int, ...] = ()
    rate: float = 0.15
    as_mask: float = 0.8
    as_random: float = 0.1

    def __post_init__(self):
        require_whole(1, vocab_size=self.vocab_size)
        require_number(rate=self.rate, as_mask=self.as_mask, as_random=self.as_random)
        for name in ("rate", "as_mask", "as_random"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie from 0 to 1, got {getattr(self, name)}")
        if self.as_mask + self.as_random > 1 + 1e-9:
            total = f"{self.as_mask} + {self.as_random}"
            raise ValueError(f"as_mask + as_random must be at most 1, got {total}")
        object.__setattr__(self, "special_ids", _ids(self.special_ids, self.mask_id))
        require_whole(0, **{f"special_ids[{i}]": n for i, n in enumerate(self.special_ids)})
        if self.special_ids[-1] >= self.vocab_size:
            raise ValueError(
                f"mask_id and special_ids must be below vocab_size = {self.vocab_size}, "
                f"got {self.special_ids[-1]}"
            )
        if len(self.special_ids) == self.vocab_size:
            raise ValueError(f"all {self.vocab_size} ids are special: there is nothing to hide")


@dataclass(frozen=True)
class Masked:
    """A corrupted text and its answers: what each selected token was, ``IGNORE`` elsewhere."""

    token_ids: Int64[Tensor, "*batch seq"]
    targets: Int64[Tensor, "*batch seq"]


def mask_tokens(
    token_ids: Int[Tensor, "*batch seq"], masking: Masking, generator: torch.Generator
) -> Masked:
    """Select tokens by chance, corrupt most of them, and keep what all of them were.

    A short text may have no token selected: then nothing in it is scored.

    Args:
        token_ids: texts with their special tokens; they are not changed.
        generator: source of all draws; the same state gives the same masks.

    Raises:
        TypeError, ValueError: if an id is no whole number from 0 to ``vocab_size`` - 1.
    """
    require_integers(token_ids=token_ids)
    _require_known(token_ids, masking.vocab_size)
    token_ids = token_ids.long()
    special = torch.isin(token_ids, torch.tensor(masking.special_ids))
    selected = (_uniform(token_ids, generator) < masking.rate) & ~special
    fate = _uniform(token_ids, generator)
    hidden = selected & (fate < masking.as_mask)
    swapped = selected & ~hidden & (fate < masking.as_mask + masking.as_random)
    strangers = _ordinary_ids(masking)
    drawn = strangers[torch.randint(len(strangers), token_ids.shape, generator=generator)]
    return Masked(
        token_ids=token_ids.masked_fill(hidden, masking.mask_id).where(~swapped, drawn),
        targets=token_ids.where(selected, torch.tensor(IGNORE)),
    )


def masks_of_epoch(epoch: int, n_copies: int | None = None, seed: int = 0) -> torch.Generator:
    """Return the generator that draws the masks of one pass over the texts.

    Args:
        epoch: which pass, from 0.
        n_copies: how many sets of masks there are, used in turn.  1 is static masking, with the
            same masks in every pass; None is dynamic masking, with new ones in every pass.

    Source:
        Liu et al. 2019 (RoBERTa), section 4.1: BERT's data held 10 copies for 40 passes.
    """
    require_whole(0, epoch=epoch, seed=seed)
    if n_copies is not None:
        require_whole(1, n_copies=n_copies)
        epoch %= n_copies
    return generator_for(seed, epoch, "masks")


def share_ever_selected(rate: float, n_sets: int) -> float:
    """Return the share of tokens that at least one of so many sets of masks selects."""
    require_number(rate=rate)
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie from 0 to 1, got {rate}")
    require_whole(0, n_sets=n_sets)
    return -math.expm1(n_sets * math.log1p(-rate)) if rate < 1 else float(n_sets > 0)


def _ids(special_ids: Sequence[int], mask_id: int) -> tuple[int, ...]:
    """The special ids in rising order, each once, ``[MASK]`` among them."""
    return tuple(sorted({*special_ids, mask_id}))


def _ordinary_ids(masking: Masking) -> Int64[Tensor, " n"]:
    """All ids that a random token may have."""
    ids = torch.arange(masking.vocab_size)
    return ids[~torch.isin(ids, torch.tensor(masking.special_ids))]


def _uniform(like: Tensor, generator: torch.Generator) -> Tensor:
    """One number from 0 to 1 for each token."""
    return torch.rand(like.shape, generator=generator)


def _require_known(token_ids: Tensor, vocab_size: int) -> None:
    """Raise unless every id is in the vocabulary."""
    low, high = token_ids.min().item(), token_ids.max().item()
    if low < 0 or high >= vocab_size:
        raise ValueError(f"token_ids must lie from 0 to {vocab_size - 1}, got {low} to {high}")
