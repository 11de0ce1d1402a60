"""What the vector at a word depends on, in a trained BERT and in a trained GPT (lesson 65)."""

from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.story_pairs import encode_words
from course_lib.experiments.fill_mask import first_part
from course_lib.experiments.looking_ahead import influence, reactions
from course_lib.experiments.two_switches import read
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.bert import BertPretraining
from course_lib.models.shipped import Shipped, load

TEXT = (
    "Kate and Hugo were in the garden . Kate found a red map . she gave the map to Hugo . "
    "she felt annoyed because Hugo had the red map ."
)


@dataclass(frozen=True)
class Depends:
    """What the vector at one word depends on.

    Args:
        words: of the text.
        place: of that word, from 0.
        bert, gpt: for each word, its share of the reactions of that vector to all words.
    """

    words: tuple[str, ...]
    place: int
    bert: Float[Tensor, " word"]
    gpt: Float[Tensor, " word"]


def bert_influence(
    model: BertPretraining, words: tuple[str, ...], seed: int = 0
) -> Float[Tensor, "word word"]:
    """Measure how each word's vector (row) reacts to each word (column), in a BERT of stories."""
    cut = first_part(words)
    pair = encode_words(words[:cut], words[cut:] or None)
    ids, segments = torch.tensor([pair.token_ids]), torch.tensor([pair.segment_ids])
    start = model.bert.embedding(ids, segments, None).detach()
    probe = _probe(start, seed)
    found = reactions(lambda x: read(model.bert.blocks, x, causal=False), start, probe)
    # [CLS] stands before the first part, [SEP] behind it and behind the second.
    real = [1 + i + (i >= cut) for i in range(len(words))]
    return found[real][:, real]


def gpt_influence(
    shipped: Shipped, words: tuple[str, ...], seed: int = 0
) -> Float[Tensor, "word word"]:
    """The same in a GPT of stories."""
    ids, model = shipped.prompt(" ".join(words))[0], shipped.model
    generator = torch.Generator().manual_seed(seed)
    return influence(model, ids, causal_mask(len(ids)), generator)[1:, 1:]  # without the boundary


def _probe(like: Tensor, seed: int) -> Float[Tensor, " d_model"]:
    return torch.randn(like.shape[-1], generator=torch.Generator().manual_seed(seed)).to(like)


@cache
def trained_influences(
    text: str = TEXT,
) -> tuple[Float[Tensor, "word word"], Float[Tensor, "word word"]]:
    """The influences in the BERT and in the GPT that come with the course."""
    words = tuple(text.split())
    bert = bert_influence(load("stories-bert").model, words)
    return bert, gpt_influence(load("modern-stories-gpt"), words)


def depends_on(place: int) -> Depends:
    """Look at one word's vector, counted from 1, in both trained models."""
    require_whole(1, place=place)
    words = tuple(TEXT.split())
    if place > len(words):
        raise ValueError(f"place must be at most {len(words)}, got {place}")
    rows = (found[place - 1] for found in trained_influences())
    return Depends(words, place - 1, *(row / row.sum() for row in rows))
