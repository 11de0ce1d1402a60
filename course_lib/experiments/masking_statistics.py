"""Masking, counted: what becomes of the words of a story, and of many random tokens (lesson 41)."""

from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.masking import Masked, Masking, mask_tokens, masks_of_epoch
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK
from course_lib.data.stories.sampling import tell
from course_lib.mechanisms.losses import IGNORE

HIDDEN, SWAPPED, KEPT, NOT_SCORED = FATES = ("hidden", "swapped", "kept", "not scored")
CLS, SEP, PAD, MASK_ID, VOCAB_SIZE = 0, 1, 2, 3, 1000  # of the random texts below


@dataclass(frozen=True)
class MaskedStory:
    """A story before and after masking, and what became of each word.

    A word that was swapped for itself, by chance, counts as kept.
    """

    words: tuple[str, ...]
    seen: tuple[str, ...]
    fates: tuple[str, ...]


@cache
def one_story() -> tuple[str, ...]:
    """Return the words of the story that the figures of the lesson show."""
    return next(story.words for story in tell(60, 41) if len(story.words) == 42)


def masked_story(rate: float = 0.15, as_mask: float = 0.8, redraw: int = 0) -> MaskedStory:
    """Mask the story; of what does not become ``[MASK]``, half is swapped and half is kept."""
    words, vocabulary = one_story(), (*everyday_stories().vocabulary, MASK)
    masking = Masking(
        len(vocabulary) - 1, len(vocabulary), (), rate, as_mask, as_random=(1 - as_mask) / 2
    )
    before = torch.tensor([vocabulary.index(word) for word in words])
    masked = mask_tokens(before, masking, torch.Generator().manual_seed(redraw))
    seen = tuple(vocabulary[i] for i in masked.token_ids)
    return MaskedStory(words, seen, tuple(fates_of(before, masked, masking.mask_id)))


def fates_of(before: Int64[Tensor, " seq"], masked: Masked, mask_id: int) -> list[str]:
    """Say of each token what masking did to it."""
    rows = zip(before.tolist(), masked.token_ids.tolist(), masked.targets.tolist(), strict=True)
    return [
        NOT_SCORED if target == IGNORE
        else HIDDEN if seen == mask_id
        else KEPT if seen == was
        else SWAPPED
        for was, seen, target in rows
    ]  # fmt: skip


def bert_masking(rate: float = 0.15, as_mask: float = 0.8, as_random: float = 0.1) -> Masking:
    """Return the masking of the random texts, as BERT does it."""
    return Masking(MASK_ID, VOCAB_SIZE, (CLS, SEP, PAD), rate, as_mask, as_random)


def random_texts(n_texts: int, length: int, seed: int = 0) -> Int64[Tensor, "text seq"]:
    """Draw texts ``[CLS] words [SEP]``, every other one with a quarter of padding behind it."""
    require_whole(4, length=length)
    generator = torch.Generator().manual_seed(seed)
    texts = torch.randint(4, VOCAB_SIZE, (n_texts, length), generator=generator)
    texts[:, 0] = CLS
    texts[::2, -1] = SEP
    n_real = length - length // 4
    texts[1::2, n_real - 1] = SEP
    texts[1::2, n_real:] = PAD
    return texts


@dataclass(frozen=True)
class Counts:
    """Shares of all ordinary tokens, of the changed ones, and of the special ones."""

    selected: float
    mask_of_selected: float
    random_of_selected: float
    kept_of_selected: float
    mask_of_changed: float
    special_changed: float


def count(
    before: Int64[Tensor, "text seq"], after: Int64[Tensor, "text seq"], selected: Tensor
) -> Counts:
    """Count what a masking did.

    Args:
        before, after: texts of :func:`random_texts`, and what became of them.
        selected: True at the tokens that are scored.
    """
    special, changed = before < MASK_ID, before != after
    hidden = after == MASK_ID
    chosen = selected & ~special

    def share(of, among) -> float:
        return (of & among).sum().item() / max(1, among.sum().item())

    return Counts(
        selected=share(selected, ~special),
        mask_of_selected=share(hidden, chosen),
        random_of_selected=share(changed & ~hidden, chosen),
        kept_of_selected=share(~changed, chosen),
        mask_of_changed=share(hidden, changed),
        special_changed=share(changed, special),
    )


def count_ours(masking: Masking, n_texts: int = 1000, length: int = 512, seed: int = 0) -> Counts:
    """Count what the library's masking does to random texts."""
    texts = random_texts(n_texts, length, seed)
    masked = mask_tokens(texts, masking, torch.Generator().manual_seed(seed))
    return count(texts, masked.token_ids, masked.targets != IGNORE)


def printed_masking(token_ids, mask_id, vocab_size, generator, mask_prob=0.15):
    """Return the corrupted texts of a masking as it is found in print; it has four faults."""
    # of the 15%: 80% [MASK], 10% a random token, 10% unchanged
    masked = token_ids.clone()
    chosen = torch.rand(token_ids.shape, generator=generator) < mask_prob
    masked[chosen] = mask_id
    swapped = chosen & (torch.rand(token_ids.shape, generator=generator) < 0.5)
    strangers = torch.randint(vocab_size, token_ids.shape, generator=generator)
    masked[swapped] = strangers[swapped]
    return masked


def count_printed(n_texts: int = 1000, length: int = 512, seed: int = 0) -> Counts:
    """Count what :func:`printed_masking` does; all that is known to be selected is what changed."""
    texts = random_texts(n_texts, length, seed)
    after = printed_masking(texts, MASK_ID, VOCAB_SIZE, torch.Generator().manual_seed(seed))
    return count(texts, after, texts != after)


def share_without_target(rate: float, length: int, n_texts: int = 20_000, seed: int = 0) -> float:
    """Draw masks for texts of so many ordinary tokens; return the share that has no target."""
    texts = torch.full((n_texts, length), 4)
    generator = torch.Generator().manual_seed(seed)
    masked = mask_tokens(texts, bert_masking(rate), generator)
    return (masked.targets == IGNORE).all(dim=1).double().mean().item()


def random_among_ordinary(masking: Masking, n_tokens: int = 2_000_000, seed: int = 0) -> float:
    """Of the tokens that do not read ``[MASK]``, return the share that is not what was there."""
    before = torch.randint(4, VOCAB_SIZE, (n_tokens,), generator=_generator(seed))
    after = mask_tokens(before, masking, _generator(seed + 1)).token_ids
    ordinary = after != masking.mask_id
    return (after != before)[ordinary].double().mean().item()


def ever_selected(
    n_copies: int | None, n_epochs: int = 40, n_tokens: int = 20_000, seed: int = 0
) -> list[float]:
    """Return, after each pass over the texts, the share of tokens that was selected at least once.

    Args:
        n_copies: sets of masks, used in turn; None draws new ones in every pass.
    """
    token_ids = torch.full((n_tokens,), 4)
    ever, shares = torch.zeros(n_tokens, dtype=torch.bool), []
    for epoch in range(n_epochs):
        masked = mask_tokens(token_ids, bert_masking(), masks_of_epoch(epoch, n_copies, seed))
        ever |= masked.targets != IGNORE
        shares.append(ever.double().mean().item())
    return shares


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
