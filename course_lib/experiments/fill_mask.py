"""A hidden word of a story: what a trained BERT and the perfect reader put there (lesson 62)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.bert_batch import bert_batch
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK, Corruption, posteriors
from course_lib.data.story_pairs import encode_words, story_tokenizer
from course_lib.models.bert import BertPretraining
from course_lib.tokenizers.vocabulary import PAD
from course_lib.training.objectives import device_of, looking

BLANK = "___"  # how a reader writes a hidden word
YOUR_BERT = "your BERT"
_CUT = 2  # sentences of the first part, as in training


@dataclass(frozen=True)
class FillMask:
    """One hidden word.

    Attributes:
        seen: the words, ``[MASK]`` for hidden ones.
        place: which of them is asked for.
        said: the word that was there, or "" where the reader wrote a blank.
        model: the probability that the model gives to each piece of its vocabulary.
        perfect: the posterior of each word; None where the grammar cannot tell such a story.
        reader: what to call the model.
    """

    seen: tuple[str, ...]
    place: int
    said: str
    model: dict[str, float]
    perfect: dict[str, float] | None
    reader: str = YOUR_BERT


def fill_mask(
    model: BertPretraining, text: str, place: int, reader: str = YOUR_BERT
) -> FillMask:
    """Hide one word of a story, and let both readers fill it in.

    Args:
        text: a whole story, words and full stops with spaces between them; ``___`` are hidden too.
        place: which word, from 1; further right than the text is long, the last one.
        reader: what to call the model.

    Raises:
        ValueError: if the text is empty, or has a word that is not one of the stories'.
    """
    require_whole(1, place=place)
    words = [MASK if word == BLANK else word for word in text.split()]
    _require_known(words)
    at = min(place, len(words)) - 1
    said = "" if words[at] == MASK else words[at]
    seen = tuple([*words[:at], MASK, *words[at + 1 :]])
    probs = model_answers(model, [(seen, at, first_part(words))])[0]
    tokens = story_tokenizer().vocabulary.tokens
    model_says = dict(zip(tokens, probs.tolist(), strict=True))
    return FillMask(seen, at, said, model_says, perfect_answer(seen, at), reader)


def model_answers(
    model: BertPretraining, asked: Sequence[tuple[Sequence[str], int, int]]
) -> Float[Tensor, "asked vocab"]:
    """Let the model fill in one place of each of some texts.

    Args:
        asked: words, with ``[MASK]`` where they are hidden; a place among them, from 0; and how
            many words the first part has.
    """
    inputs, positions = [], []
    for words, place, cut in asked:
        second = words[cut:] or None
        inputs.append(encode_words(words[:cut], second))
        # [CLS] stands before the first part, [SEP] between the two.
        positions.append(1 + place + (second is not None and place >= cut))
    device = device_of(model)
    pad_id = story_tokenizer().vocabulary.id_of(PAD)
    found = torch.empty(len(asked), model.config.vocab_size)
    by_length = sorted(range(len(asked)), key=lambda i: len(inputs[i]))  # little padding
    with looking(model):
        for start in range(0, len(asked), 50):
            few = by_length[start : start + 50]
            x = model.bert(*(p.to(device) for p in bert_batch([inputs[i] for i in few], pad_id)))
            rows = torch.arange(len(x), device=device)
            places = torch.tensor([positions[i] for i in few], device=device)
            found[few] = model.mlm_head(x[rows, places]).softmax(dim=-1).cpu()
    return found


def perfect_answer(seen: Sequence[str], place: int) -> dict[str, float] | None:
    """Return the exact posterior of the word at a place; None if there is no such story."""
    grammar = everyday_stories()
    # Who sees the masks knows what is asked for: no word is swapped or kept.
    how = Corruption(len(grammar.vocabulary), selected=0.5, masked=1.0, replaced=0.0)
    try:
        return posteriors(grammar, seen, [place], how, prune=0.0)[0]
    except ValueError:
        return None


def first_part(words: Sequence[str]) -> int:
    """Count the words of the first two sentences, or all words where there are no more."""
    ends = [i + 1 for i, word in enumerate(words) if word == "."]
    return ends[_CUT - 1] if len(ends) > _CUT else len(words)


def _require_known(words: Sequence[str]) -> None:
    """Raise unless there are words, and each is one that stories have, or a piece of one.

    A model that has learnt little may answer with a piece, and its answer may be put into a text.
    """
    if not words:
        raise ValueError("text must hold at least one word, got none")
    known, tokenizer = everyday_stories().vocabulary, story_tokenizer().vocabulary
    pieces = {*tokenizer.tokens, MASK} - (set(tokenizer.special_tokens) - {MASK})
    for word in words:
        if word not in pieces:
            raise ValueError(
                f"text must be made of the {len(known)} words of the stories, with spaces "
                f"between them, also before a full stop; got {word!r}"
            )
