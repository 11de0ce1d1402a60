"""A question asked as a gap: what a pre-trained BERT answers without any label (lesson 63)."""

from dataclasses import dataclass

from course_lib.data.stories.claims import ENTAILS, Claim, claims
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import model_answers
from course_lib.models.bert import BertPretraining

_LEAD = ("in", "the", "end")  # how stories end that tell where somebody is


@dataclass(frozen=True)
class Cloze:
    """Shares of stories in which a gap was filled rightly.

    Attributes:
        model: of a BERT that fills the gap of "in the end X was in the ___ ." behind a story.
        named: in how many of them it names one of the story's places, the right one or not.
        guess: right answers of one who takes any of the places that the story names.
        n_stories: how many.
    """

    model: float
    named: float
    guess: float
    n_stories: int


def ask_by_gap(model: BertPretraining, n_stories: int = 120, seed: int = 6304) -> Cloze:
    """Ask where somebody is at the end of some stories, which tell it."""
    # A sixth of all claims are of this kind and true.
    asked = [c for c in claims(6 * n_stories, seed) if c.label == ENTAILS and c.claim[1] == "was"]
    longest = model.config.max_seq_len - 3  # words; three special tokens stand around them
    asked = [claim for claim in asked if len(_with_gap(claim)[0]) <= longest]
    answers = model_answers(model, [_with_gap(claim) for claim in asked]).argmax(-1)
    tokens = story_tokenizer().vocabulary.tokens
    right = [tokens[i] == c.claim[-2] for i, c in zip(answers.tolist(), asked, strict=True)]
    every = set(everyday_stories().classes["place"])
    places = [every & set(claim.story) for claim in asked]
    named = [tokens[i] in its for i, its in zip(answers.tolist(), places, strict=True)]
    guesses = [1 / len(its) for its in places]
    n = len(asked)
    return Cloze(sum(right) / n, sum(named) / n, sum(guesses) / n, n)


def _with_gap(claim: Claim) -> tuple[tuple[str, ...], int, int]:
    """The story and the claim with its place hidden; which word that is; where the claim begins."""
    words = (*claim.story, *_LEAD, *claim.claim[:-2], MASK, ".")
    return words, len(words) - 2, len(claim.story)
