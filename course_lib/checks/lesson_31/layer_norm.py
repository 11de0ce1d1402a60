"""Lesson 31, first exercise: a much-copied layer norm that differs from everybody's weights."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_31.layer_norm_mistakes import MISTAKES
from course_lib.checks.run import Case


def broken_layer_norm(x, gain, shift, eps):
    """Layer norm over the last axis; two things in it differ from the published models'."""
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return gain * (x - mean) / (std + eps) + shift


def _solution(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, correction=0)  # divided by d, not by d - 1
    return gain * (x - mean) / torch.sqrt(variance + eps) + shift


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(31)

    def case(*shape: int, eps: float, spread: float = 1.0, dtype=torch.float64, extreme=0) -> Case:
        x = 2 + spread * torch.randn(*shape, generator=generator, dtype=torch.float64)
        gain, shift = torch.randn(2, shape[-1], generator=generator, dtype=torch.float64)
        inputs = {"x": x, "gain": gain, "shift": shift}
        return Case({n: v.to(dtype) for n, v in inputs.items()} | {"eps": eps}, extreme=extreme)

    flat = {"x": torch.full((2, 3), 0.5), "gain": torch.ones(3), "shift": torch.zeros(3)}
    # The squares of these cannot hold the 1 any more, even in float64.
    far = {"x": 2e8 + torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64),
           "gain": torch.ones(4, dtype=torch.float64),
           "shift": torch.zeros(4, dtype=torch.float64)}  # fmt: skip
    return (
        Case({"x": torch.tensor([1.0, 4.0]), "gain": torch.tensor([1.0, 2.0]),
              "shift": torch.tensor([0.0, 0.5]), "eps": 0.5}),
        case(3, 5, eps=0.2),
        case(2, 3, 4, eps=1e-5, spread=0.003),
        case(4, 6, eps=1e-12, dtype=torch.float32),
        Case(flat | {"eps": 1e-5}, extreme=1),
        Case(far | {"eps": 1e-5}, extreme=1),
    )  # fmt: skip


repair_layer_norm = Exercise(
    name="lesson_31.repair_layer_norm",
    task=(
        "The function above runs, and a model trained with it works. But weights trained with the "
        "published layer norm give other numbers in it. Two things differ from the equation: find "
        "both and repair them. `x` has shape `[..., d]`, `gain` and `shift` have shape `[d]`."
    ),
    stub=broken_layer_norm,
    reference=_solution,
    explanation=(
        "`x.std` and `x.var` divide by $d - 1$ unless `correction=0` is given, because statistics "
        "mostly estimates from a sample. Here nothing is estimated: these are all the features "
        "there are. And `eps` is added to the variance, inside the root. Outside the root it acts "
        "as another, far smaller one: where the spread is small, the two differ by a large factor."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "Take x = (1, 4). What is its variance when you divide by the number of features, and "
        "what does `x.var()` say?",
        "Two changes: what the squares are divided by (look for `correction` in the help of "
        "`torch.var`), and whether eps joins the variance or its root.",
        "```python\nmean = x.mean(-1, keepdim=True)\n"
        "variance = ...   # over d features, not d - 1\n"
        "return gain * (x - mean) / ... + shift\n```",
    ),
)
