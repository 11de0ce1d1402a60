"""Lesson 44: which batches a guard skips, from their gradient norms."""

import math
import statistics

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(norms, factor, decay):
    """True for each batch that is to be skipped."""
    raise NotImplementedError


def _solution(norms, factor, decay):
    skipped = torch.zeros(len(norms), dtype=torch.bool)
    average = None
    for i, norm in enumerate(norms.tolist()):
        long = average is not None and norm > factor * average
        if not math.isfinite(norm) or long:
            skipped[i] = True
        elif average is None:
            average = norm
        else:
            average = decay * average + (1 - decay) * norm
    return skipped


def _wrong(remembers="let in", start=None, update_first=False, swapped=False, strict=True,
           finite=True, kept=False, rule="decay", bar=lambda average, factor: factor * average,
           refused=math.isfinite):  # fmt: skip
    """The rule with one thing done otherwise."""

    def wrong(norms, factor, decay):
        skipped = torch.zeros(len(norms), dtype=torch.bool)
        average, n = start, 0
        share = 1 - decay if swapped else decay

        def mixed(average, norm, n):
            if average is None or rule == "last":
                return norm
            if rule == "first":
                return average
            if rule == "largest":
                return max(average, norm)
            if rule == "mean":
                return average + (norm - average) / n
            return share * average + (1 - share) * norm

        for i, norm in enumerate(norms.tolist()):
            fine = refused(norm) or not finite
            if update_first and fine:
                average = mixed(average, norm, n + 1)
            long = False
            if average is not None:
                high = bar(average, factor)
                long = norm > high if strict else norm >= high
            skipped[i] = long or not fine
            if not update_first and fine and (remembers == "all" or not skipped[i]):
                n += 1
                average = mixed(average, norm, n)
        return ~skipped if kept else skipped

    return wrong


def _first_whatever_it_is(norms, factor, decay):
    average, skipped = norms[0].item(), [False]
    for norm in norms[1:].tolist():
        skipped.append(not math.isfinite(norm) or norm > factor * average)
        if not skipped[-1]:
            average = decay * average + (1 - decay) * norm
    return torch.tensor(skipped)


def _from_nothing(norms, factor, decay):
    average, skipped = 0.0, []
    for norm in norms.tolist():
        skipped.append(not math.isfinite(norm) or (average > 0 and norm > factor * average))
        if not skipped[-1]:
            average = decay * average + (1 - decay) * norm
    return torch.tensor(skipped)


def _median(norms, factor, decay):
    let_in, skipped = [], []
    for norm in norms.tolist():
        long = bool(let_in) and norm > factor * statistics.median(let_in)
        skipped.append(not math.isfinite(norm) or long)
        if not skipped[-1]:
            let_in.append(norm)
    return torch.tensor(skipped)


_MISTAKES = (
    Mistake(
        "skipped ones enter the average",
        _wrong(remembers="all"),
        "Your average takes in the norms of skipped batches. A spike then raises the bar for the "
        "next one.",
    ),
    Mistake(
        "compared after the update",
        _wrong(update_first=True),
        "You let a norm into the average first and compare afterwards, so a spike is measured "
        "against a bar that it has raised itself.",
    ),
    Mistake(
        "not finite let in",
        _wrong(finite=False),
        "A norm of NaN is let in: `nan > bar` is False, like every comparison with NaN. And an "
        "infinite norm spoils your average, if it comes first.",
    ),
    Mistake(
        "inf let in",
        _wrong(refused=lambda norm: not math.isnan(norm)),
        "You ask for NaN only. An infinite norm that comes first is let in, and the average is "
        "infinite from then on.",
    ),
    Mistake(
        "NaN let in",
        _wrong(refused=lambda norm: not math.isinf(norm)),
        "You ask for infinity only. A norm of NaN is let in, since `nan > bar` is False.",
    ),
    Mistake(
        "the first norm, whatever it is",
        _first_whatever_it_is,
        "You take the first norm as the average without asking whether it is finite.",
    ),
    Mistake(
        "the average never moves",
        _wrong(rule="first"),
        "Your average stays at the first norm. Each norm that is let in has to move it.",
    ),
    Mistake(
        "the largest as the bar",
        _wrong(rule="largest"),
        "You compare with the largest norm that was let in. Wanted is the moving average.",
    ),
    Mistake(
        "the median as the bar",
        _median,
        "You compare with the median of those let in. Wanted is the moving average.",
    ),
    Mistake(
        "factor added",
        _wrong(bar=lambda average, factor: factor + average),
        "You skip what lies more than `factor` above the average. `factor` says how many times.",
    ),
    Mistake(
        "factor on the wrong side",
        _wrong(bar=lambda average, factor: average / factor),
        "Your bar lies below the average, at a part of it: `factor` belongs to the average, not to "
        "the norm.",
    ),
    Mistake(
        "average from nothing",
        _from_nothing,
        "You start the average at 0 and let the first norm move it by a small share only, so the "
        "bar is far too low at first. The first finite norm is the average.",
    ),
    Mistake(
        "weights swapped",
        _wrong(swapped=True),
        "Your average gives the new norm the weight `decay` and the old average the rest. It is "
        "the other way round: the old average keeps the share `decay`.",
    ),
    Mistake(
        "starts at 0",
        _wrong(start=0.0),
        "Your average starts at 0, so everything is far above it and nothing is ever let in. Let "
        "the first finite norm be the average.",
    ),
    Mistake(
        "exactly the factor skipped",
        _wrong(strict=False),
        "A norm of exactly `factor` times the average is skipped. The task skips what is more.",
    ),
    Mistake(
        "kept returned",
        _wrong(kept=True),
        "You return True for the batches that are let in. Wanted is True for those that are "
        "skipped.",
    ),
    Mistake(
        "the last norm as the bar",
        _wrong(rule="last"),
        "You compare with the last norm that was let in. Wanted is the moving average.",
    ),
    Mistake(
        "a plain mean",
        _wrong(rule="mean"),
        "You take the mean of all norms that were let in, old ones as strongly as new ones. In "
        "the moving average the old average keeps the share `decay` at each step.",
    ),
    Mistake(
        "one mean for all",
        lambda norms, factor, decay: ~(norms <= factor * norms[norms.isfinite()].mean()),
        "You compare with the mean of all norms, those that come later among them. At each batch "
        "only the norms before it are known.",
    ),
)


def _case(norms: list, factor: float, decay: float) -> Case:
    return Case({"norms": torch.tensor(norms), "factor": factor, "decay": decay})


skips = Exercise(
    name="lesson_44.skips",
    task=(
        "Write `skips(norms, factor, decay)`. `norms` holds the gradient norms of the batches, in "
        "order. Return a bool tensor, True for each batch that is to be skipped: its norm is not "
        "finite, or it is more than `factor` times the moving average of those let in before it. "
        "The first finite norm is let in and becomes the average; from then on each norm that is "
        "let in moves it, `average = decay * average + (1 - decay) * norm`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The order is all: look, decide, and only then remember, and remember only what was let "
        "in. NaN has to be asked for by name, because every comparison with it is False."
    ),
    cases=(
        _case([1.0, 1.0, 10.0, 1.0], 3.0, 0.5),
        _case([2.0, 1.0, 1.5, 9.0, 8.0, 1.0, 5.0], 3.0, 0.75),
        _case([1.0, 2.0, 3.0, 5.5, 7.0, 15.0, 9.0], 2.5, 0.75),
        _case([4.0, 1.0, 1.0, 1.0, 1.0, 5.0, 1.0], 2.5, 0.5),
        _case([1.0, 4.0, 1.0, 7.5, 2.0], 4.0, 0.75),
        _case([8.0, 1.0, 5.0, 1.0], 2.0, 0.75),
        _case([1.0, float("nan"), 1.2, float("inf"), 6.0, 1.0], 4.0, 0.75),
        _case([float("inf"), 1.0, 2.0, 50.0, float("nan")], 4.0, 0.9),
        _case([float("nan"), 2.0, 9.0, 1.0], 3.0, 0.5),
        _case([10.0, 13.0, 25.0, 11.0, 31.0], 2.0, 0.5),
        _case([1.0, 1.0, 3.0, 3.0, 3.0, 8.5], 4.0, 0.9),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Which of the three comes last at each batch: comparing, deciding, or changing the "
        "average?",
        "Go through `norms.tolist()`. Begin with no average at all (None). `math.isfinite` is "
        "False for both inf and NaN. Change the average only for a batch that is let in.",
        "```python\nskipped = torch.zeros(len(norms), dtype=torch.bool)\naverage = None\n"
        "for i, norm in enumerate(norms.tolist()):\n    if ...:            # skip\n"
        "        skipped[i] = True\n    elif average is None:\n        ...\n    else:\n"
        "        ...\nreturn skipped\n```",
    ),
    returns=("the skipped batches",),
)
