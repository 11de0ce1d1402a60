"""A story word by word: what one who knows the grammar expects, and what a model does."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from course_lib.config import require_whole
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import next_words, require_words, surprises
from course_lib.data.training_text import WORDS, TrainingText
from course_lib.models.gpt import GPT
from course_lib.training.objectives import device_of, looking

_SHOWN = 8  # words that the figure has room for


@dataclass(frozen=True)
class WordByWord:
    """A story, read up to one word, and what could be known about that word.

    Attributes:
        words: the whole story.
        at: the word that is to be foretold; those before it have been read.
        floor: -ln p of every word for one who knows the grammar, in nats.
        model: the same for a model; None where there is none.
        choices: the likeliest next words: each with the grammar's probability and the model's.
        n_possible: how many words the grammar allows here.
    """

    words: tuple[str, ...]
    at: int
    floor: tuple[float, ...]
    model: tuple[float, ...] | None
    choices: tuple[tuple[str, float, float | None], ...]
    n_possible: int


def word_by_word(
    words: Sequence[str], at: int, model: GPT | None = None, text: TrainingText | None = None
) -> WordByWord:
    """Say what can be expected at one word of a story.

    Args:
        words: a possible story.
        at: the number of the word; the first is 0.
        model: one over words of the stories, with the ``text`` that it was trained on.

    Raises:
        ValueError: if the story is impossible, has no such word, or a model comes without a
            text in words.
    """
    require_words(words)
    require_whole(0, at=at)
    if at >= len(words):
        raise ValueError(f"at must be below the number of words {len(words)}, got {at}")
    grammar = everyday_stories()
    exact = next_words(grammar, words[:at])
    told, guessed = None, {}
    if model is not None:
        told, guessed = _of_the_model(words, at, model, text)
    order = sorted(exact | guessed, key=lambda w: -max(exact.get(w, 0), guessed.get(w, 0)))
    shown = tuple(
        (word, exact.get(word, 0.0), guessed.get(word) if guessed else None)
        for word in order[:_SHOWN]
    )
    return WordByWord(tuple(words), at, surprises(grammar, words), told, shown, len(exact))


def _of_the_model(
    words: Sequence[str], at: int, model: GPT, text: TrainingText | None
) -> tuple[tuple[float, ...], dict[str, float]]:
    """A model's surprise at every word, and its probabilities of the one at ``at``."""
    if text is None or text.kind != WORDS:
        raise ValueError(f"text must have {WORDS!r} for ids, got {text and text.kind!r}")
    vocabulary = [text.decode([i]) for i in range(text.vocab_size)]
    number = {word: i for i, word in enumerate(vocabulary)}
    ids = torch.tensor([number[word] for word in words], device=device_of(model))
    before = torch.cat([ids.new_tensor([text.boundary_id]), ids[:-1]])
    with looking(model):
        log_probs = model(before[None])[0].log_softmax(dim=-1).cpu()
    told = -log_probs.gather(-1, ids.cpu().unsqueeze(-1)).squeeze(-1)
    guessed = dict(zip(vocabulary, log_probs[at].exp().tolist(), strict=True))
    return tuple(told.tolist()), guessed
