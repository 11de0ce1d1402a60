"""Which heads matter, and where they look: small models that read two places (lesson 23)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.copy_task import copier_config, copy_texts, learn_to_copy
from course_lib.experiments.head_outputs import all_heads, without_heads
from course_lib.experiments.six_or_nine import (
    FIRST_SCORED,
    LENGTHS,
    SEQ_LEN,
    draw_texts,
    learn_to_read,
    reader_config,
)
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.gpt import GPT

N_TEXTS = 256  # held-out texts in every measurement


@dataclass(frozen=True)
class HeadRoles:
    """Where each head of a trained model looks, and what the model loses without it.

    All are averages over the scored positions of held-out texts.  ``by_distance`` is the share
    of attention at each distance back, ``previous`` that at distance 1.  ``induction`` is the
    share on letters that come next, one word back or more, and ``other`` the share on those that
    would come next if the word had the other length.  ``word_gap`` is how much larger the share
    eight places back is in words of nine, where it is right, than in words of six.  ``effects``
    is how much the loss rises, in nats, when this head alone is silenced.  ``accuracy`` is the
    model's share of right letters.
    """

    loss: float
    accuracy: float
    effects: Float[Tensor, "layer head"]
    previous: Float[Tensor, "layer head"]
    induction: Float[Tensor, "layer head"]
    other: Float[Tensor, "layer head"]
    word_gap: Float[Tensor, "layer head"]
    by_distance: Float[Tensor, "layer head distance"]


@dataclass(frozen=True)
class Glance:
    """Every head's attention on one text, and one number a head."""

    text: str
    length: int
    measure: str
    maps: Float[Tensor, "layer head query key"]
    numbers: Float[Tensor, "layer head"]


MEASURES = {
    "spread": "places it spreads over",
    "induction": "share on the next letter",
    "other": "share on the other place",
    "previous": "share one place back",
    "effect": "loss without it, in nats",
}


def trained_reader(n_heads: int = 4, n_layers: int = 2, n_steps: int = 120, seed: int = 0) -> GPT:
    """Train a small GPT to repeat a word of six or nine letters."""
    require_whole(1, n_steps=n_steps)
    *_, last = learn_to_read(reader_config(n_heads, n_layers), n_steps, seed=seed)
    return last.model


def trained_copier(n_steps: int = 70, seed: int = 0) -> GPT:
    """Train a GPT of one block to repeat twelve letters, a task that one head could do."""
    require_whole(1, n_steps=n_steps)
    *_, last = learn_to_copy(copier_config(n_layers=1, d_ff=64), n_steps, seed=seed)
    return last.model


@torch.no_grad()
def reading_loss(model: GPT, seed: int = 1000) -> float:
    """Measure the loss on held-out texts of six or nine letters, in nats a letter."""
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    return cross_entropy(model(token_ids), targets).item()


@torch.no_grad()
def copying_loss(model: GPT, seed: int = 1000) -> float:
    """Measure the loss on held-out texts of twelve letters and their repetition."""
    token_ids, targets = copy_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    return cross_entropy(model(token_ids), targets).item()


@torch.no_grad()
def reading_accuracy(model: GPT, seed: int = 1000) -> float:
    """Measure how many scored letters of held-out texts the model holds for the most likely."""
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    scored = targets != IGNORE
    return (model(token_ids).argmax(dim=-1) == targets)[scored].double().mean().item()


def effects_of_heads(
    model: GPT, loss: Callable[[GPT], float] = reading_loss
) -> Float[Tensor, "layer head"]:
    """Silence each head in turn, and measure how much the loss (or any number) rises."""
    whole = loss(model)
    rises = [loss(without_heads(model, place)) - whole for place in all_heads(model)]
    return torch.tensor(rises).unflatten(0, (len(model.blocks), -1))


@torch.no_grad()
def attention_maps(
    model: GPT, token_ids: Int[Tensor, "batch seq"]
) -> Float[Tensor, "layer batch head query key"]:
    """Return the shares of attention of every head, as the model runs."""
    x, visible = model.embed(token_ids), causal_mask(token_ids.shape[-1])
    layers = []
    for block in model.blocks:
        layers.append(block.attn.attend(block.norm_1(x), visible).probs)
        x = block(x, visible)
    return torch.stack(layers)


def head_roles(model: GPT, seed: int = 1000) -> HeadRoles:
    """Measure what every head of a trained reader looks at, and what is lost without it."""
    token_ids, _, lengths = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    maps = attention_maps(model, token_ids)
    back = _distances()
    by_distance = [_share(maps, back == distance) for distance in range(SEQ_LEN)]
    right, other = _places(lengths)
    nines, sixes = (_share(maps[:, lengths == n], back == 8) for n in (9, 6))
    return HeadRoles(
        loss=reading_loss(model, seed),
        accuracy=reading_accuracy(model, seed),
        effects=effects_of_heads(model, lambda silenced: reading_loss(silenced, seed)),
        previous=by_distance[1],
        induction=_share(maps, right),
        other=_share(maps, other),
        word_gap=nines - sixes,
        by_distance=torch.stack(by_distance, dim=-1),
    )


def _distances() -> Int[Tensor, "query key"]:
    """How far back each key stands from each query."""
    places = torch.arange(SEQ_LEN)
    return places[:, None] - places


def _places(
    lengths: Int[Tensor, " batch"],
) -> tuple[Bool[Tensor, "batch query key"], Bool[Tensor, "batch query key"]]:
    """Mark the keys that hold the next letter, and those that would with the other length."""
    after = _distances() + 1  # from a key to the place that is to be filled
    hits = {length: (after > 0) & (after % length == 0) for length in LENGTHS}
    right = torch.stack([hits[int(length)] for length in lengths])
    return right, torch.stack(list(hits.values())).any(dim=0) & ~right


def _share(
    maps: Float[Tensor, "layer batch head query key"], keys: Bool[Tensor, "*#batch query key"]
) -> Float[Tensor, "layer head"]:
    """Average over the scored queries the share that they give to the marked keys."""
    marked = keys.expand(maps.shape[1], -1, -1).unsqueeze(1)  # [batch, 1, query, key]
    return (maps * marked).sum(dim=-1)[..., FIRST_SCORED:].mean(dim=(1, 3))


def glance(model: GPT, roles: HeadRoles, length: int, measure: str, seed: int = 2000) -> Glance:
    """Look at all heads of a trained reader at once, on one text.

    Args:
        roles: what `head_roles` measured of the same model.
        length: of the text's word, one of ``LENGTHS``.
        measure: one of ``MEASURES``; "spread" is exp(entropy), the number of places that would
            give the same entropy if they shared equally.
    """
    if length not in LENGTHS:
        raise ValueError(f"length must be one of {LENGTHS}, got {length!r}")
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {tuple(MEASURES)}, got {measure!r}")
    token_ids, _, lengths = draw_texts(torch.Generator().manual_seed(seed))
    token_ids = token_ids[lengths == length][:1]
    maps = attention_maps(model, token_ids)
    numbers = {
        "spread": torch.special.entr(maps).sum(dim=-1)[..., FIRST_SCORED:].mean(dim=(1, 3)).exp(),
        "induction": roles.induction,
        "other": roles.other,
        "previous": roles.previous,
        "effect": roles.effects,
    }
    text = "".join(chr(ord("A") + letter) for letter in token_ids[0].tolist())
    return Glance(text, length, measure, maps[:, 0], numbers[measure])
