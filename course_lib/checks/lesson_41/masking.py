"""Lesson 41, second exercise: repair a masking that is printed with a comment that it breaks."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_masking(token_ids, special, draw, fate, strangers, mask_id):
    """Dynamic masking as it is printed: of 15%, 80% [MASK], 10% random, 10% as they are."""
    masked = token_ids.clone()
    chosen = draw < 0.15
    masked[chosen] = mask_id
    random = chosen & (fate < 0.5)
    masked[random] = strangers[random]
    return masked


def _solution(token_ids, special, draw, fate, strangers, mask_id):
    selected = (draw < 0.15) & ~special
    hidden = selected & (fate < 0.8)
    swapped = selected & (fate >= 0.8) & (fate < 0.9)
    masked = token_ids.masked_fill(hidden, mask_id)
    masked = torch.where(swapped, strangers, masked)
    targets = token_ids.masked_fill(~selected, -100)  # kept tokens are asked for as well
    return masked, targets


def _mask(
    ids, special, draw, fate, strangers, mask_id, to_mask=0.8, to_random=0.9, specials=True,
    scored=None,
):  # fmt: skip
    """The solution with one thing after another that may go wrong."""
    selected = (draw < 0.15) & ~special if specials else draw < 0.15
    hidden = selected & (fate < to_mask)
    swapped = selected & (fate >= to_mask) & (fate < to_random)
    masked = torch.where(swapped, strangers, ids.masked_fill(hidden, mask_id))
    asked = selected if scored is None else scored(selected, hidden, masked != ids)
    return masked, ids.masked_fill(~asked, -100)


def _printed(ids, special, draw, fate, strangers, mask_id, specials=True):
    """As in the broken function, with targets."""
    selected = draw < 0.15 if specials else (draw < 0.15) & ~special
    masked = torch.where(selected & (fate < 0.5), strangers, ids.masked_fill(selected, mask_id))
    return masked, ids.masked_fill(~selected, -100)


def _with(**changes):
    return lambda *inputs: _mask(*inputs, **changes)


def _nested(ids, special, draw, fate, strangers, mask_id):
    """80% of the selected, then 10% of all selected by the same draw: the swap overwrites."""
    selected = (draw < 0.15) & ~special
    masked = ids.masked_fill(selected & (fate < 0.8), mask_id)
    masked = torch.where(selected & (fate < 0.1), strangers, masked)
    return masked, ids.masked_fill(~selected, -100)


def _mended(ids, special, draw, fate, strangers, mask_id, to_random=0.1, specials=False):
    """The printed order, hide all and overwrite some, with another number for 0.5."""
    selected = draw < 0.15 if specials else (draw < 0.15) & ~special
    masked = ids.masked_fill(selected, mask_id)
    masked = torch.where(selected & (fate < to_random), strangers, masked)
    return masked, ids.masked_fill(~selected, -100)


def _overwritten(ids, special, draw, fate, strangers, mask_id):
    """[MASK] first, then a random token below 0.9, which includes all that were hidden."""
    selected = (draw < 0.15) & ~special
    masked = torch.where(selected & (fate < 0.9), strangers, ids)
    return masked, ids.masked_fill(~selected, -100)


def _half_of_the_rest(ids, special, draw, fate, strangers, mask_id):
    """Half of what is not hidden, asked of a number that has been used up."""
    selected = (draw < 0.15) & ~special
    return ids.masked_fill(selected & (fate < 0.8), mask_id), ids.masked_fill(~selected, -100)


def _unselected(ids, special, draw, fate, strangers, mask_id):
    """The split is applied to all tokens."""
    masked = torch.where((fate >= 0.8) & (fate < 0.9), strangers, ids)
    return masked.masked_fill(fate < 0.8, mask_id), _solution(
        ids, special, draw, fate, strangers, mask_id
    )[1]


_MISTAKES = (
    Mistake(
        "90 / 10 / 0",
        _mended,
        "Everything selected is hidden first, and a tenth of it overwritten: 90% [MASK], 10% "
        "random, none kept. Hide only where `fate` is below 0.8.",
    ),
    Mistake(
        "90 / 10 / 0, special tokens selected",
        lambda *inputs: _mended(*inputs, specials=True),
        "Everything selected is hidden first, and a tenth of it overwritten: 90% [MASK], 10% "
        "random, none kept. And special tokens are selected too.",
    ),
    Mistake(
        "random below 0.9",
        _overwritten,
        "Your second condition, `fate` below 0.9, includes all that were hidden: no [MASK] is "
        "left. A random token also needs `fate` of at least 0.8.",
    ),
    Mistake(
        "no random tokens",
        _half_of_the_rest,
        "No token becomes a random one in yours. Of those that are not hidden, `fate` is 0.8 or "
        "more: they become the stranger below 0.9, not below 0.5.",
    ),
    Mistake(
        "split applied to all",
        _unselected,
        "Your targets are right. But tokens that were not selected are changed as well: each of "
        "the conditions on `fate` needs `selected &`.",
    ),
    Mistake(
        "special tokens scored",
        lambda ids, special, draw, *rest: (
            _solution(ids, special, draw, *rest)[0],
            ids.masked_fill(draw >= 0.15, -100),
        ),
        "The corrupted ids are right. But special tokens have targets: take them out of the "
        "selection itself.",
    ),
    Mistake(
        "still half and half, targets added",
        _printed,
        "Targets are there now. But half of the selected still become a random token, none is "
        "kept, and special tokens are selected too.",
    ),
    Mistake(
        "half and half, special tokens spared",
        lambda *inputs: _printed(*inputs, specials=False),
        "Targets and special tokens are right. But half of the selected become a random token and "
        "none is kept. Cut `fate` into three parts.",
    ),
    Mistake(
        "special tokens selected",
        _with(specials=False),
        "The split is right. But [CLS], [SEP] and padding are selected as well. Nobody should have "
        "to guess them, and nothing should stand in their place.",
    ),
    Mistake(
        "kept tokens not scored",
        _with(scored=lambda selected, hidden, changed: changed),
        "Your targets stand only where a token has changed. The tenth that is kept is asked for "
        "too; else no ordinary token would ever be scored as what it is. (And a stranger may "
        "happen to be the right token.)",
    ),
    Mistake(
        "only [MASK] scored",
        _with(scored=lambda selected, hidden, changed: hidden),
        "You ask only where [MASK] stands. All selected tokens are scored, whatever became of "
        "them.",
    ),
    Mistake(
        "everything scored",
        _with(scored=lambda selected, hidden, changed: torch.ones_like(selected)),
        "Your targets are the whole text, so most of the time the model only has to copy what it "
        "reads. Only selected tokens have a target; the others get -100.",
    ),
    Mistake(
        "nothing kept",
        _with(to_random=1.1),
        "A fifth of the selected becomes random in yours, and none is kept. From 0.9 on, `fate` "
        "leaves a token as it is.",
    ),
    Mistake(
        "random and kept exchanged",
        lambda ids, special, draw, fate, strangers, mask_id: _mask(
            ids, special, draw, torch.where(fate < 0.8, fate, 1.8 - fate), strangers, mask_id
        ),
        "You keep from 0.8 to 0.9 and swap above. As likely, but the task says it the other way "
        "round.",
    ),
    Mistake(
        "the swap overwrites [MASK]",
        _nested,
        "You compare `fate` with 0.8 for [MASK] and with 0.1 for a random token: the second part "
        "lies inside the first. You get 70% and 10%, and 20% are kept.",
    ),
    Mistake(
        "targets are the corrupted text",
        lambda *inputs: (
            (masked := _mask(*inputs))[0],
            masked[0].masked_fill(masked[1] == -100, -100),
        ),
        "Your targets are read from the corrupted text, so the model is asked for [MASK]. What was "
        "there before?",
    ),
    Mistake(
        "targets inverted",
        lambda *inputs: (
            (masked := _mask(*inputs))[0],
            inputs[0].masked_fill(masked[1] != -100, -100),
        ),
        "Your targets stand where nothing was selected. -100 says: do not score.",
    ),
    Mistake(
        "special tokens alone",
        lambda ids, special, *rest: _mask(ids, ~special, *rest),
        "You select among the special tokens, and only there. True in `special` is what must not "
        "be touched.",
    ),
    Mistake(
        "0 in place of -100",
        lambda *inputs: (
            (masked := _mask(*inputs))[0],
            masked[1].clamp_min(0),
        ),
        "You put 0 where nothing is scored. 0 is the id of a token; the loss leaves out -100.",
    ),
)


def _case(n_texts: int, length: int, seed: int, extreme: int = 0) -> Case:
    generator = torch.Generator().manual_seed(seed)
    token_ids = torch.randint(10, 60, (n_texts, length), generator=generator)
    special = torch.zeros_like(token_ids, dtype=torch.bool)
    special[:, 0] = special[:, -1] = True
    special[::2, -3:] = True
    token_ids = token_ids.masked_fill(special, 1)
    draw, fate = torch.rand(2, n_texts, length, generator=generator)
    strangers = torch.randint(10, 60, token_ids.shape, generator=generator)
    # One stranger is the right token by chance; one special token would be selected; one is kept.
    draw[0, 0], draw[1, 1:4] = 0.01, 0.02
    fate[1, 1:4] = torch.tensor([0.85, 0.95, 0.4])
    strangers[1, 1] = token_ids[1, 1]
    inputs = {"token_ids": token_ids, "special": special, "draw": draw, "fate": fate}
    return Case({**inputs, "strangers": strangers, "mask_id": 3}, extreme=extreme)


repair_masking = Exercise(
    name="lesson_41.repair_masking",
    task=(
        "Repair the function below. Its random numbers are handed in, so that the check can "
        "compare: `draw`, `fate` (uniform from 0 to 1) and `strangers` (random ordinary ids), one "
        "for each token. Select the tokens whose `draw` is below 0.15, never one of the `special` "
        "(bool). Of the selected ones, `fate` below 0.8 makes `mask_id`, from 0.8 to 0.9 the "
        "stranger, from 0.9 on nothing. Return two things: the corrupted ids, and the targets, "
        "which are -100 wherever nothing is scored."
    ),
    stub=broken_masking,
    reference=_solution,
    explanation=(
        "The printed function first hides all it has chosen and then overwrites half of them: "
        "50/50/0. One number that is cut into three parts gives three cases that exclude each "
        "other. Special tokens are left out of the selection itself, so that nothing later can "
        "touch them. And the targets come from the text as it was, at *all* selected tokens, the "
        "kept ones too."
    ),
    cases=(_case(3, 11, 1), _case(6, 40, 2), _case(20, 30, 3)),
    mistakes=_MISTAKES,
    hints=(
        "Count by hand: of 100 selected tokens, how many does the printed function make `[MASK]`, "
        "random, kept? And where would the loss learn what was there?",
        "Make three bool tensors: who is selected, who is hidden, who is swapped. Change a copy "
        "with the last two; make the targets with the first.",
        "```python\nselected = (draw < 0.15) & ...\nhidden = selected & ...\n"
        "swapped = selected & ... & (fate < 0.9)\n"
        "masked = token_ids.masked_fill(hidden, mask_id)\n"
        "masked = torch.where(swapped, ..., masked)\n"
        "return masked, token_ids.masked_fill(..., -100)\n```",
    ),
    returns=("the corrupted ids", "the targets"),
)
