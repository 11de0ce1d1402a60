"""Four tasks on stories, one for each of BERT's heads, with labels that are right by construction.

``pair``: does a claim about a story follow from it?  ``single``: is this a sentence?
``answer``: which words of the story answer a question?  ``tags``: what is each word?
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.labelled_texts import LabelledTexts, labelled_texts
from course_lib.data.stories.acceptability import Judgement, judgements
from course_lib.data.stories.claims import LABELS, Claim, claims
from course_lib.data.stories.nicknames import Tagged, nicknamed
from course_lib.data.stories.questions import OUTSIDE, TAGS, Question, questions
from course_lib.data.story_pairs import encode_words, story_tokenizer
from course_lib.mechanisms.losses import IGNORE
from course_lib.tokenizers.bert_pair import EncodedPair
from course_lib.tokenizers.vocabulary import PAD

PAIR, SINGLE, ANSWER, NAMES = STORY_TASKS = ("pair", "single", "answer", "tags")
JUDGED = ("broken", "a sentence")
TAG_NAMES = (OUTSIDE, *dict.fromkeys(TAGS.values()))
LONGEST = 96  # tokens that the encoder reads; the rare story with more is left out
Example = Claim | Judgement | Question | Tagged


@dataclass(frozen=True)
class StoryLabels:
    """Examples of one task, in words and as BERT reads them.

    Attributes:
        answers: what a label stands for; of a span, nothing.
        examples: in words.
        texts: the same in ids, row by row, with their labels: the place of the answer among
            ``answers``, or the first and last position of a span in the row (both belong to it).
    """

    task: str
    answers: tuple[str, ...]
    examples: tuple[Example, ...]
    texts: LabelledTexts

    def first(self, n_examples: int) -> "StoryLabels":
        """Only the first examples, so that the few are among the many."""
        few = self.texts.first(n_examples)
        return StoryLabels(self.task, self.answers, self.examples[:n_examples], few)


@dataclass(frozen=True)
class _Making:
    """How a task's examples are made, read and labelled."""

    make: Callable[[int, int], list[Example]]
    encode: Callable[[Example], EncodedPair]
    label: Callable[[Example], object]
    answers: tuple[str, ...] = ()


def _span(asked: Question) -> tuple[int, int]:
    """First and last position of the answer, behind ``[CLS]``, the question and ``[SEP]``."""
    before = len(asked.question) + 2
    return before + asked.start, before + asked.stop - 1


_MAKING = {
    PAIR: _Making(claims, lambda c: encode_words(c.story, c.claim),
                  lambda c: LABELS.index(c.label), LABELS),
    SINGLE: _Making(judgements, lambda j: encode_words(j.words),
                    lambda j: int(j.acceptable), JUDGED),
    ANSWER: _Making(questions, lambda q: encode_words(q.question, q.story), _span),
    NAMES: _Making(nicknamed, lambda t: encode_words(t.words),
                   lambda t: [TAG_NAMES.index(tag) for tag in t.tags], TAG_NAMES),
}  # fmt: skip


@cache
def story_labels(task: str, n_examples: int, seed: int) -> StoryLabels:
    """Make examples of a task; those of another seed are of other stories.

    Args:
        task: one of ``STORY_TASKS``.

    Raises:
        ValueError: if there is no such task, or not one example is asked for.

    Cost:
        about a second for a thousand; the first "single" of a session some seconds more, for
        the list of all shapes of sentences.
    """
    if task not in STORY_TASKS:
        raise ValueError(f"task must be one of {STORY_TASKS}, got {task!r}")
    require_whole(1, n_examples=n_examples)
    making = _MAKING[task]
    # A few more than asked for, in place of those that are too long.
    made = making.make(n_examples + n_examples // 50 + 10, seed)
    read = [(example, making.encode(example)) for example in made]
    kept = [(example, ids) for example, ids in read if len(ids) <= LONGEST][:n_examples]
    found, inputs = zip(*kept, strict=True)
    rows = _labels(task, [making.label(example) for example in found], inputs)
    pad_id = story_tokenizer().vocabulary.id_of(PAD)
    return StoryLabels(task, making.answers, found, labelled_texts(inputs, rows, pad_id))


def _labels(
    task: str, labels: Sequence[object], inputs: Sequence[EncodedPair]
) -> Int64[Tensor, "text *answers"]:
    """Put labels into a tensor; tags behind ``[CLS]``, with nothing graded at special tokens."""
    if task != NAMES:
        return torch.tensor(labels)
    rows = torch.full((len(inputs), max(map(len, inputs))), IGNORE)
    for row, tags in zip(rows, labels, strict=True):
        row[1 : 1 + len(tags)] = torch.tensor(tags)
    return rows
