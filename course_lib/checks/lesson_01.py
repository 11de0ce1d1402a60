"""The exercise of lesson 01: softmax with a temperature."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(logits, temperature):
    """Probabilities over the last axis of logits; a higher temperature makes them more even."""
    raise NotImplementedError


def _solution(logits, temperature):
    scaled = logits / temperature
    shifted = scaled - scaled.max(dim=-1, keepdim=True).values  # largest is 0: exp cannot overflow
    e = shifted.exp()
    return e / e.sum(dim=-1, keepdim=True)


def _overflowing(logits, temperature):
    e = (logits / temperature).exp()
    return e / e.sum(dim=-1, keepdim=True)


def _one_maximum_for_all_rows(logits, temperature):
    scaled = logits / temperature
    e = (scaled - scaled.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)


def _divided_by_the_largest(logits, temperature):
    scaled = logits / temperature
    return (scaled - scaled.max(dim=-1, keepdim=True).values).exp()


def _sum_over_everything(logits, temperature):
    e = (logits / temperature - (logits / temperature).max()).exp()
    return e / e.sum()


def _axis_not_kept(logits, temperature):
    e = (logits / temperature).exp()
    return e / e.sum(dim=-1)


def _cases() -> tuple[Case, ...]:
    three = torch.tensor([1.0, 2.0, 3.0])
    random = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(1))
    levels = torch.tensor([[0.0, 1.0, -1.0], [1000.0, 999.0, 998.0]])
    return (
        Case({"logits": three, "temperature": 1.0}),
        Case({"logits": three, "temperature": 2.0}),
        Case({"logits": three, "temperature": 0.25}),
        Case({"logits": torch.tensor([[0.0, 1.0, 3.0], [2.0, 2.0, -1.0]]), "temperature": 1.5}),
        Case({"logits": random, "temperature": 0.7}),
        Case({"logits": 1000 * three, "temperature": 2.0}, extreme=True),
        Case({"logits": levels, "temperature": 0.5}, extreme=True),
    )


_MISTAKES = (
    Mistake(
        "multiplies by the temperature",
        lambda logits, temperature: torch.softmax(logits * temperature, dim=-1),
        "With your function a higher temperature makes the largest probability larger. "
        "Should heat sharpen the distribution or flatten it? Did you multiply where the "
        "definition divides?",
    ),
    Mistake(
        "forgets the temperature",
        lambda logits, temperature: torch.softmax(logits, dim=-1),
        "Your result is the same at every temperature. Is `temperature` used, and used before the "
        "normalisation? A factor on every probability cancels when they are made to sum to 1.",
    ),
    Mistake(
        "divides the probabilities",
        lambda logits, temperature: torch.softmax(logits, dim=-1) / temperature,
        "Do your probabilities still sum to 1? You divide by the temperature after the softmax; "
        "it belongs to the logits, before the exponential.",
    ),
    Mistake(
        "divides by the largest, not by the sum",
        _divided_by_the_largest,
        "What does each row sum to? Your largest entry is always 1: the exponentials are divided "
        "by the largest of them (or, after subtracting the maximum, by nothing), not by their sum.",
    ),
    Mistake(
        "does not normalise",
        lambda logits, temperature: (logits / temperature).exp(),
        "What does each row sum to? These are the exponentials; the division by their sum is "
        "missing.",
    ),
    Mistake(
        "normalises over the first axis",
        lambda logits, temperature: torch.softmax(logits / temperature, dim=0),
        "Which axis holds the alternatives? In your result the columns sum to 1, over axis 0. "
        "The alternatives stand along the last axis, `dim=-1`, however many axes there are.",
    ),
    Mistake(
        "normalises over axis 1",
        lambda logits, temperature: torch.softmax(logits / temperature, dim=1),
        "You name axis 1. That is the last axis only when there are exactly two. Which `dim` is "
        "always the last?",
    ),
    Mistake(
        "normalises over all entries",
        _sum_over_everything,
        "Do all rows together sum to 1, rather than each row? Give `sum` the axis, and keep that "
        "axis with `keepdim=True` so that the division lines up.",
    ),
    Mistake(
        "axis not kept",
        _axis_not_kept,
        "For a single row it works; with more rows `sum(-1)` (or `max(-1)`) gives one number a "
        "row and drops the last axis, so the rows no longer meet their own. What does "
        "`keepdim=True` do to the shape?",
    ),
    Mistake(
        "overflows",
        _overflowing,
        "Right for small logits, NaN for large ones: `exp(1000)` is too large for a float, and "
        "inf / inf is NaN. What can you subtract from every logit without changing the result?",
    ),
    Mistake(
        "one maximum for all rows",
        _one_maximum_for_all_rows,
        "Almost: you subtract the maximum of the whole tensor. In a row that lies far below it "
        "every exponential is 0, and 0 / 0 is NaN. Whose maximum should a row subtract?",
    ),
    Mistake(
        "returns logarithms",
        lambda logits, temperature: torch.log_softmax(logits / temperature, dim=-1),
        "Can a probability be negative? These are the logarithms of the right answer.",
    ),
)

temperature_softmax = Exercise(
    name="lesson_01.temperature_softmax",
    task=(
        "Write `temperature_softmax(logits, temperature)`: divide the logits by the temperature "
        "and turn them into probabilities over the **last** axis, $p_i = "
        r"e^{x_i / T} / \sum_j e^{x_j / T}$. Logits of any size must work, 1000 and more too."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Dividing by a large temperature brings the logits closer together, so the probabilities "
        "get more even; towards 0 the largest takes everything. Subtracting each row's maximum "
        "multiplies numerator and denominator by the same number, so nothing changes except that "
        "`exp` never sees anything above 0. `keepdim=True` keeps the axis with size 1, so that "
        "each row meets its own maximum and its own sum."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "If all logits were divided by a million, how would they differ from each other, and what "
        "would the probabilities be?",
        "Three steps in this order: the temperature, the exponential, the normalisation. Look at "
        "what `x.sum(dim=-1, keepdim=True)` returns. For large logits, think of what happens to "
        "the fraction when every logit is lowered by the same amount.",
        "```python\nscaled = ...            # logits and temperature\n"
        "shifted = scaled - ...  # each row's own maximum, axis kept\n"
        "e = ...\nreturn e / ...          # each row's own sum, axis kept\n```",
    ),
)
