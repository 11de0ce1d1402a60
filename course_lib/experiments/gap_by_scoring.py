"""A GPT that fills a gap from both sides: it scores the text with every word (lesson 65)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK
from course_lib.data.stories.reading import next_words
from course_lib.data.stories.sampling import tell
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import first_part, model_answers, perfect_answer
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.training.objectives import looking


@dataclass(frozen=True)
class Gap:
    """One word of a story, and how likely several readers find each word there.

    Attributes:
        left: a GPT that has read the words before it.
        scored: the same GPT, by the probabilities of the whole story with each word.
        perfect_left, perfect: who knows the grammar, from the left and from both sides.
        bert: a BERT, where there is one.
    """

    words: tuple[str, ...]
    place: int
    left: dict[str, float]
    scored: dict[str, float]
    perfect_left: dict[str, float]
    perfect: dict[str, float]
    bert: dict[str, float] | None = None

    def surprises(self) -> dict[str, float]:
        """Minus the logarithm of the right word's probability, reader by reader."""
        right = self.words[self.place]
        readers = {"left": self.left, "scored": self.scored, "perfect_left": self.perfect_left,
                   "perfect": self.perfect}  # fmt: skip
        if self.bert is not None:
            readers["bert"] = self.bert
        # A model may round a probability to 0 in float32; 1e-30 is far below what it can give.
        return {n: -torch.tensor(max(p[right], 1e-30)).log().item() for n, p in readers.items()}


def fill_gap(
    gpt: Shipped, words: Sequence[str], place: int, bert: BertPretraining | None = None
) -> Gap:
    """Ask all readers for one word of a whole story.

    Args:
        gpt: one whose tokens are the words of the stories.
        words: a story from its first word to its last.
        place: which word, from 0.
        bert: one that was trained on the stories.
    """
    require_whole(0, place=place)
    if place >= len(words):
        raise ValueError(f"place must be below the {len(words)} words of the story, got {place}")
    words, grammar = tuple(words), everyday_stories()
    seen = (*words[:place], MASK, *words[place + 1 :])
    left, scored = both_answers(gpt, words, place)
    answer = None
    if bert is not None:
        probs = model_answers(bert, [(seen, place, first_part(words))])[0].tolist()
        answer = dict(zip(_pieces(), probs, strict=True))
    perfect = _every_word(perfect_answer(seen, place) or {})
    perfect_left = _every_word(next_words(grammar, words[:place]))
    return Gap(words, place, left, scored, perfect_left, perfect, answer)


def both_answers(
    gpt: Shipped, words: Sequence[str], place: int
) -> tuple[dict[str, float], dict[str, float]]:
    """What a GPT says of a word after those before it, and by scoring the whole text.

    Bayes' rule: of two words, that one is likelier which makes the whole text likelier.  So the
    words behind the gap have their say, though no vector has read them from before.

    Cost:
        as many whole texts as there are words to choose from.
    """
    ids = gpt.prompt(" ".join(words))
    texts = torch.cat([ids, torch.tensor([[gpt.boundary_id]])], dim=1)
    texts = texts.repeat(gpt.tokenizer.vocab_size, 1)
    at = 1 + place  # behind the boundary
    texts[:, at] = torch.arange(len(texts))
    with looking(gpt.model):
        left = gpt.model(ids[:, :at])[0, -1].softmax(dim=-1)
        totals = torch.cat([text_log_probs(gpt.model, some) for some in texts.split(64)])
    names = gpt.tokenizer.words
    scored = totals.double().softmax(dim=-1)
    return tuple(dict(zip(names, p.tolist(), strict=True)) for p in (left, scored))


def text_log_probs(model: GPT, texts: Int[Tensor, "text seq"]) -> Float[Tensor, " text"]:
    """The logarithm of each text's probability, its first token given (the chain rule)."""
    log_probs = model(texts).log_softmax(dim=-1)[:, :-1]
    return log_probs.gather(-1, texts[:, 1:, None]).squeeze(-1).sum(dim=-1)


def fill_gaps(
    gpt: Shipped, n_gaps: int = 24, bert: BertPretraining | None = None, seed: int = 6500
) -> list[Gap]:
    """Ask for one word each of some new stories, drawn from all places but the first."""
    require_whole(1, n_gaps=n_gaps)
    generator = torch.Generator().manual_seed(seed)
    gaps = []
    for story in tell(n_gaps, seed):
        place = int(torch.randint(1, len(story.words), (1,), generator=generator))
        gaps.append(fill_gap(gpt, story.words, place, bert))
    return gaps


def mean_surprises(gaps: Sequence[Gap]) -> dict[str, float]:
    """The mean over gaps, in nats, reader by reader."""
    each = [gap.surprises() for gap in gaps]
    return {name: sum(row[name] for row in each) / len(each) for name in each[0]}


def _every_word(answers: dict[str, float]) -> dict[str, float]:
    """Answers for all words of the stories, 0 where there is none."""
    return {word: answers.get(word, 0.0) for word in everyday_stories().vocabulary}


def _pieces() -> tuple[str, ...]:
    """The pieces that a BERT of the stories answers with."""
    return story_tokenizer().vocabulary.tokens
