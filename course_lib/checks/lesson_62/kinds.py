"""Lesson 62: how often a BERT is right, by what was done to the word that it has to name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from course_lib.checks.coerce import Plain
from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_22.told import Told
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case, Ran


@dataclass(eq=False, repr=False)
class _Shares(Exercise):
    """An exercise about ids: no input says which floating dtype the answer should have."""

    def _run(self, function: Callable[..., Any], case: Case) -> Ran:
        ran = super()._run(function, case)
        if isinstance(ran.result, Plain) and ran.result.values.is_floating_point():
            return replace(ran, result=replace(ran.result, values=ran.result.values.float()))
        return ran


def _stub(shown, targets, answers, mask_id):
    """The shares of right answers where [MASK], a random word, or the word itself was shown."""
    raise NotImplementedError


def _solution(shown, targets, answers, mask_id):
    scored = targets != -100
    masked = scored & (shown == mask_id)
    kept = scored & (shown == targets)
    random = scored & ~masked & ~kept
    right = (answers == targets).float()
    return torch.stack([right[kind].mean() for kind in (masked, random, kept)])


def _three(shown, targets, mask_id):
    """The three kinds among the scored places."""
    scored = targets != -100
    masked = scored & (shown == mask_id)
    kept = scored & (shown == targets)
    return masked, scored & ~masked & ~kept, kept


def _shares(right, kinds):
    return torch.stack([right[kind].float().mean() for kind in kinds])


def _against_shown(shown, targets, answers, mask_id):
    return _shares(answers == shown, _three(shown, targets, mask_id))


def _errors(shown, targets, answers, mask_id):
    return 1 - _solution(shown, targets, answers, mask_id)


def _percent(shown, targets, answers, mask_id):
    return 100 * _solution(shown, targets, answers, mask_id)


def _counts(shown, targets, answers, mask_id):
    right = answers == targets
    return torch.stack([(right & k).sum() for k in _three(shown, targets, mask_id)])


def _one_mask_id(shown, targets, answers, mask_id):
    return _solution(shown, targets, answers, _FIRST_MASK_ID)


def _above_zero(shown, targets, answers, mask_id):
    scored = targets > 0
    kinds = [kind & scored for kind in _three(shown, targets, mask_id)]
    return _shares(answers == targets, kinds)


def _of_all_scored(shown, targets, answers, mask_id):
    n_scored = (targets != -100).sum()
    right = answers == targets
    return torch.stack([(right & k).sum() / n_scored for k in _three(shown, targets, mask_id)])


def _of_all_places(shown, targets, answers, mask_id):
    right = answers == targets
    return torch.stack([(right & k).sum() / k.numel() for k in _three(shown, targets, mask_id)])


def _of_the_right(shown, targets, answers, mask_id):
    right = (answers == targets) & (targets != -100)
    kinds = _three(shown, targets, mask_id)
    return torch.stack([(right & k).sum() / right.sum() for k in kinds])


def _unscored_as_random(shown, targets, answers, mask_id):
    kinds = shown == mask_id, (shown != mask_id) & (shown != targets), shown == targets
    return _shares(answers == targets, kinds)


def _unscored_as_kept(shown, targets, answers, mask_id):
    truth = torch.where(targets == -100, shown, targets)
    masked = shown == mask_id
    return _shares(answers == truth, (masked, ~masked & (shown != truth), shown == truth))


def _random_with_kept(shown, targets, answers, mask_id):
    masked, random, kept = _three(shown, targets, mask_id)
    return _shares(answers == targets, (masked, random | kept, kept))


def _random_with_masked(shown, targets, answers, mask_id):
    masked, random, kept = _three(shown, targets, mask_id)
    return _shares(answers == targets, (masked, random | masked, kept))


def _kept_by_answer(shown, targets, answers, mask_id):
    masked, _, _ = _three(shown, targets, mask_id)
    kept = (targets != -100) & ~masked & (answers == shown)
    random = (targets != -100) & ~masked & ~kept
    return _shares(answers == targets, (masked, random, kept))


def _kept_when_answered(shown, targets, answers, mask_id):
    masked, random, _ = _three(shown, targets, mask_id)
    return _shares(answers == targets, (masked, random, (targets != -100) & (shown == answers)))


def _unasked_among_kept(shown, targets, answers, mask_id):
    masked, random, kept = _three(shown, targets, mask_id)
    return _shares(answers == targets, (masked, random, kept | (targets == -100)))


def _how_frequent(shown, targets, answers, mask_id):
    n_scored = (targets != -100).sum()
    return torch.stack([kind.sum() / n_scored for kind in _three(shown, targets, mask_id)])


def _mean_of_rows(shown, targets, answers, mask_id):
    right, kinds = (answers == targets).float(), _three(shown, targets, mask_id)
    rows = [(right * k).sum(-1) / k.sum(-1) for k in kinds]
    return torch.stack([row.nanmean() for row in rows])


def _reordered(*order):
    def wrong(shown, targets, answers, mask_id):
        return _solution(shown, targets, answers, mask_id)[list(order)]

    return wrong


_MISTAKES = (
    Mistake(
        "always the same mask_id",
        _one_mask_id,
        "You have written a number where `mask_id` belongs. Which id `[MASK]` has differs from one "
        "vocabulary to the next.",
    ),
    Mistake(
        "the id 0 left out",
        _above_zero,
        "You leave out targets of 0. An id of 0 is a token like any other; only -100 says that "
        "nothing is asked.",
    ),
    Mistake(
        "shares of wrong answers",
        _errors,
        "Those are the shares of wrong answers; wanted are the right ones.",
    ),
    Mistake("percent", _percent, "You give percent. A share lies between 0 and 1."),
    Mistake(
        "counts",
        _counts,
        "You count the right answers of each kind. Divide by the number of its places.",
    ),
    Mistake(
        "compared with what was shown",
        _against_shown,
        "You compare the answers with what the model was shown. It is right when it names the "
        "target: what stood there before.",
    ),
    Mistake(
        "unscored places counted as random",
        _unscored_as_random,
        "Most targets are -100, and those differ from everything that is shown: they end up among "
        "your random words. Only places with a target are scored.",
    ),
    Mistake(
        "unscored places counted as kept",
        _unscored_as_kept,
        "You count the places without a target as kept words. Nobody asks for them; a kept word "
        "was selected, and is shown as it was.",
    ),
    Mistake(
        "shares of all that was scored",
        _of_all_scored,
        "You divide by the number of all scored places, so the three shares tell how frequent a "
        "kind is as well. Divide each by the number of its own places.",
    ),
    Mistake(
        "shares of all places",
        _of_all_places,
        "You divide by the number of all places, scored or not. Divide each kind's right answers "
        "by the number of its own places.",
    ),
    Mistake(
        "shares of the right answers",
        _of_the_right,
        "Your shares say of which kind the right answers are. Wanted is how many of each kind's "
        "answers are right.",
    ),
    Mistake(
        "kept among the random",
        _random_with_kept,
        "Your second share takes in every scored word that is not [MASK], the kept ones too. A "
        "random word differs from its target.",
    ),
    Mistake(
        "masked among the random",
        _random_with_masked,
        "A `[MASK]` differs from the target, too, and so it is among your random words.",
    ),
    Mistake(
        "kept by the answer",
        _kept_by_answer,
        "You take a word as kept when the model answers what it was shown. Whether a word was kept "
        "does not depend on the answer: compare what was shown with the target.",
    ),
    Mistake(
        "kept by the answer, random by the target",
        _kept_when_answered,
        "Your third kind is where the model answers what it was shown. Whether a word was kept is "
        "told by the target, not by the answer.",
    ),
    Mistake(
        "unasked places among the kept",
        _unasked_among_kept,
        "Your kept words take in the places with a target of -100. Nobody asks for those.",
    ),
    Mistake(
        "how frequent the kinds are",
        _how_frequent,
        "Those are the shares that each kind has of the scored places. Wanted is how often the "
        "answers at its places are right.",
    ),
    Mistake(
        "a mean of rows",
        _mean_of_rows,
        "You average within each text first, and then over the texts, so that a kind's places in "
        "a text with few of them weigh more. Count over all texts at once.",
    ),
    Mistake(
        "random and kept exchanged",
        _reordered(0, 2, 1),
        "The numbers are right, in another order: you have exchanged the random words and the "
        "kept ones. A kept word is shown as it was.",
    ),
    Mistake(
        "another order",
        _reordered(2, 1, 0),
        "The numbers are right, in another order. Wanted are masked, random, kept.",
    ),
)


_FIRST_MASK_ID = 4


def _case(
    n_texts: int, seq_len: int, seed: int, words: str, mask_id: int, lowest: int = 0
) -> Told:
    """Texts of 25 words in which every kind occurs, with answers that are right now and then."""
    generator = torch.Generator().manual_seed(seed)

    def draw(high: int, low: int = 0) -> torch.Tensor:
        return torch.randint(low, high, (n_texts, seq_len), generator=generator)

    was, fate, other = draw(25), draw(6), draw(24, 1)
    fate.view(-1)[:6] = torch.arange(6)  # each kind at least once
    was.view(-1)[0] = 0  # the lowest id is asked for, and known
    shown = torch.where(fate == 1, (was + other) % 25, was) + lowest  # another word for certain
    was = was + lowest
    shown = torch.where(fate == 0, mask_id, shown)
    targets = torch.where(fate < 3, was, -100)
    luck = draw(4)
    luck.view(-1)[0] = 0
    answers = torch.where(luck < 2, was, torch.where(luck == 2, shown, draw(25) + lowest))
    inputs = {"shown": shown, "targets": targets, "answers": answers, "mask_id": mask_id}
    return Told(inputs, words=f"{words}, mask_id {mask_id}")


right_by_kind = _Shares(
    name="lesson_62.right_by_kind",
    task=(
        "Write `right_by_kind(shown, targets, answers, mask_id)`. All three are ids, "
        "`[batch, seq]`: what BERT was shown, what it has to name (-100 where nothing is asked), "
        "and what it answers at each place. Return three numbers in one tensor: the share of "
        "right answers where `[MASK]` was shown, where a random word was, and where the word was "
        "kept. A word drawn at random that happens to be the right one counts as kept. Every kind "
        "occurs."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "What was done can be read off two tensors: [MASK] is shown, or the target itself, or "
        "something else. All three only count where there is a target. And each share has its own "
        "denominator: a kind that is rare must not look bad for being rare."
    ),
    cases=(
        _case(1, 16, 36, "one text of 16 tokens", _FIRST_MASK_ID, lowest=5),
        _case(3, 11, 4, "three texts of 11 tokens", 103),
        _case(5, 7, 0, "five texts of 7 tokens, ids from 0", 26),
    ),
    mistakes=_MISTAKES,
    hints=(
        "A place shows 7, its target is 7. Which kind is it? And if it shows 9?",
        "Make four bool tensors: scored, masked, kept, and random from the other three. Index the "
        "right answers with each kind, and take the mean.",
        "```python\nscored = targets != -100\nmasked = scored & ...\nkept = scored & ...\n"
        "random = ...\nright = (answers == targets).float()\n"
        "return torch.stack([right[kind].mean() for kind in (masked, random, kept)])\n```",
    ),
    returns=("the three shares",),
)
