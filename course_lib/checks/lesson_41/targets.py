"""Lesson 41, first exercise: what a GPT is graded on at each position of a padded batch."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_22.told import Told, marks
from course_lib.checks.mistakes import Mistake


def _stub(token_ids, real):
    """The target of each position: the next token's id, or -100 where there is none."""
    raise NotImplementedError


def _solution(token_ids, real):
    targets = torch.full_like(token_ids, -100)
    both_real = real[:, :-1] & real[:, 1:]  # the position itself, and the token that it must name
    targets[:, :-1] = torch.where(both_real, token_ids[:, 1:], -100)
    return targets


def _rolled(token_ids, real, by=-1):
    return token_ids.roll(by, dims=1)


def _next_is_real(real):
    return torch.cat([real[:, 1:], torch.zeros_like(real[:, :1])], dim=1)


def _ignored(targets, where):
    return targets.masked_fill(where, -100)


_MISTAKES = (
    Mistake(
        "not shifted",
        lambda ids, real: _ignored(ids, ~real),
        "Your target at each position is the token that stands there. The model reads it: it would "
        "only have to copy. Which token does a GPT have to name there?",
    ),
    Mistake(
        "not shifted, padding scored",
        lambda ids, real: ids.clone(),
        "Your targets are the inputs themselves, padding included. Which token has a GPT to name "
        "at position i, and where is there none?",
    ),
    Mistake(
        "shifted the wrong way",
        lambda ids, real: _ignored(_rolled(ids, real, 1), ~(real & real.roll(1, 1))).index_fill(
            1, torch.tensor([0]), -100
        ),
        "Your target is the token before. A GPT has read that one already. Shift the other way.",
    ),
    Mistake(
        "rolled round",
        lambda ids, real: _ignored(_rolled(ids, real), ~(real & real.roll(-1, 1))),
        "`roll` brings the first token round to the last position, and asks for it there. Behind "
        "the last token nothing is known.",
    ),
    Mistake(
        "rolled round, padding scored",
        lambda ids, real: _rolled(ids, real),
        "The shift is right. But `roll` brings the first token round to the end, and padding is "
        "asked for as well.",
    ),
    Mistake(
        "padding scored",
        lambda ids, real: _rolled(ids, real).index_fill(1, torch.tensor([ids.shape[1] - 1]), -100),
        "The shift is right, and nothing is asked for at the end of the row. But the row's end is "
        "not always the text's end: look at a text with padding.",
    ),
    Mistake(
        "padding is asked for",
        lambda ids, real: _ignored(_rolled(ids, real), ~real).index_fill(
            1, torch.tensor([ids.shape[1] - 1]), -100
        ),
        "You leave out the positions that are padding. The last real token is no padding, but the "
        "next one is. What do you ask for there?",
    ),
    Mistake(
        "padding is asked",
        lambda ids, real: _ignored(_rolled(ids, real), ~_next_is_real(real)),
        "You leave out targets that are padding. But where padding stands on the left, its last "
        "position is asked for the first real token. It has read nothing; nobody should be asked.",
    ),
    Mistake(
        "one column short",
        lambda ids, real: torch.where(real[:, :-1] & real[:, 1:], ids[:, 1:], -100),
        "The values are right, but there is one column less than positions. Give the last position "
        "a target as well: -100.",
    ),
    Mistake(
        "one column short, left padding asked",
        lambda ids, real: torch.where(real[:, 1:], ids[:, 1:], -100),
        "There is one column less than positions: give the last position a target as well, -100. "
        "And where padding stands on the left, it is asked for the first real token.",
    ),
    Mistake(
        "shifted the wrong way, padding on the left asked about",
        lambda ids, real: _ignored(_rolled(_ignored(ids, ~real), real, 1), real & False).index_fill(
            1, torch.tensor([0]), -100
        ),
        "Your target is the token before, which a GPT has read already, and padding on the right "
        "is asked for it. Shift the other way.",
    ),
    Mistake(
        "rolled along the batch",
        lambda ids, real: ids.roll(-1, dims=0),
        "You roll along axis 0, from text to text. The next token is the next one in its row.",
    ),
    Mistake(
        "rolled round, next real only",
        lambda ids, real: _ignored(_rolled(ids, real), ~real.roll(-1, 1)),
        "`roll` brings the first token round to the last position, and asks for it there. Padding "
        "on the left is asked as well.",
    ),
    Mistake(
        "0 at the end",
        lambda ids, real: _rolled(ids, real).index_fill(1, torch.tensor([ids.shape[1] - 1]), 0),
        "The shift is right. But 0 at the last position is the id of a token, and padding is asked "
        "for as well. -100 is the value that the loss leaves out.",
    ),
    Mistake(
        "0 at the end, padding left out",
        lambda ids, real: _ignored(
            _rolled(ids, real).index_fill(1, torch.tensor([ids.shape[1] - 1]), 0), ~real
        ),
        "The shift is right. But 0 at the last position is the id of a token, and the last real "
        "token before padding is asked for the padding. Both get -100.",
    ),
    Mistake(
        "0 in place of -100",
        lambda ids, real: _solution(ids, real).clamp_min(0),
        "You put 0 where there is no target. But 0 is the id of a token, and the loss will ask for "
        "it. -100 is the value that the loss leaves out.",
    ),
    Mistake(
        "-1 in place of -100",
        lambda ids, real: _solution(ids, real).clamp_min(-1),
        "You put -1 where there is no target. The loss leaves out -100 and nothing else.",
    ),
)


def _case(*texts: str, seed: int) -> Told:
    real = marks(*texts)
    generator = torch.Generator().manual_seed(seed)
    token_ids = torch.randint(5, 90, real.shape, generator=generator).masked_fill(~real, 0)
    words = f"`real` is {' / '.join(texts)} (x is a token, a dot is padding)"
    return Told({"token_ids": token_ids, "real": real}, words=words)


next_token_targets = Exercise(
    name="lesson_41.next_token_targets",
    task=(
        "Write `next_token_targets(token_ids, real)`. `token_ids` is `[batch, seq]`; `real` is "
        "bool of the same shape, False at padding, which may stand on either side. Return the "
        "targets of a GPT, `[batch, seq]`: at each real token the id of the real token that "
        "follows, and -100 wherever nobody is to be asked."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Position i names token i + 1, so the targets are the ids moved one place to the left, and "
        "the last position has none. Two things must be real: the token that is asked for, or "
        "padding is learned; and the position that is asked, or the padding on the left of a text "
        "has to guess its first word from nothing. Without the move the targets are the inputs, "
        "and the model learns to copy: the leak of this lesson, made by hand."
    ),
    cases=(
        _case("xxxxx", seed=1),
        _case("xxxx..", "xxxxxx", "xx....", seed=2),
        _case("..xxx", "xxxxx", ".xxx.", seed=3),
        _case("x...", "xx..", seed=4),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Row: the cat sat. What has the model to say at `the`, at `cat`, and at `sat`?",
        "Start with a tensor of the right shape that is full of one value. Fill all columns but "
        "the last with the ids of the columns behind them, where two tokens are real.",
        "```python\ntargets = torch.full_like(token_ids, ...)\n"
        "both_real = real[:, :-1] & ...\n"
        "targets[:, :-1] = torch.where(both_real, ..., -100)\nreturn targets\n```",
    ),
    returns=("the targets",),
)
