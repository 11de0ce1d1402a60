"""Lesson 31, second exercise: RMS norm, in float16 as well."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_31.rms_norm_mistakes import MISTAKES
from course_lib.checks.mistakes import alike
from course_lib.checks.outcome import Outcome
from course_lib.checks.run import Case, Ran

_TWO_UNITS = 2 * torch.finfo(torch.float16).eps


class _Rounded(Exercise):
    """Lets float16 be off by two units of its last digit.

    Divided by its largest feature first, a row stays in range, all in float16: right as well.
    """

    def _problem(self, function, case: Case, ran: Ran, expected: Ran) -> Outcome | None:
        if case.inputs["x"].dtype == torch.float16 and alike(ran, expected, _TWO_UNITS, 0):
            ran = Ran(expected.result, changed=ran.changed) if _is_half(ran) else ran
        return super()._problem(function, case, ran, expected)


def _is_half(ran: Ran) -> bool:
    return ran.result.values.dtype == torch.float16


def _stub(x, gain, eps):
    """RMS norm over the last axis: gain * x / root(mean of the squares + eps)."""
    raise NotImplementedError


def _solution(x, gain, eps):
    wide = x.double()  # squares leave the range of float16 at 256
    size = torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    return (gain * wide / size).to(x.dtype)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(312)

    def case(*shape: int, eps: float, spread: float = 1.0, dtype=torch.float64) -> Case:
        x = spread * (1 + torch.randn(*shape, generator=generator, dtype=torch.float64))
        gain = torch.randn(shape[-1], generator=generator, dtype=torch.float64)
        return Case({"x": x.to(dtype), "gain": gain.to(dtype), "eps": eps})

    half = {"x": torch.tensor([[3000.0, -4000.0, 0.0, 0.0], [600.0, 0.0, 0.0, 800.0]]),
            "gain": torch.tensor([1.0, 2.0, 1.0, 0.5])}  # fmt: skip
    small = {"x": torch.tensor([0.1, -0.1, 0.2, 0.05]), "gain": torch.ones(4)}
    large = {"x": torch.tensor([4000.0, 1000.0, 0.0]), "gain": torch.tensor([32.0, 1.0, 1.0])}
    return (
        Case({"x": torch.tensor([3.0, 4.0]), "gain": torch.tensor([1.0, 2.0]), "eps": 0.5}),
        case(3, 5, eps=0.2),
        case(2, 3, 4, eps=1e-5, spread=0.003),
        case(4, 6, eps=1e-6, dtype=torch.float32),
        Case({"x": torch.zeros(2, 3), "gain": torch.ones(3), "eps": 1e-6}, extreme=1),
        *(Case({n: v.half() for n, v in inputs.items()} | {"eps": 1e-6}, extreme=2)
          for inputs in (half, small, large)),
    )


divide_by_rms = _Rounded(
    name="lesson_31.divide_by_rms",
    task=(
        "Write `divide_by_rms(x, gain, eps)` over the last axis: "
        r"$y = g \, x / \sqrt{\overline{x^2} + \epsilon}$. `x` has shape `[..., d]`, `gain` has "
        "shape `[d]`. The result has the dtype of `x`, and it must be right in float16 too, for "
        "small numbers and for numbers up to a few thousand."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The mean square of a row of size 1 is 1 whatever the width, which is why it is the mean "
        "and not the sum. Nothing is subtracted, so the direction of x stays. Squares are what "
        "makes it fail in float16: its largest number is 65504, and 256 squared is 65536. So the "
        "squares are taken in a wider format, and only the result goes back; the library does the "
        "same in float32."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "For x = (3, 4): what is the mean of the squares, and by what do you divide to make it 1?",
        "Square, mean over the last axis with the axis kept, add eps, root, divide, gain. For "
        "float16: which of these steps makes a number larger than 65504, and where could it have "
        "room?",
        "```python\nwide = ...              # the same numbers, with more room\n"
        "size = torch.sqrt(...)  # [..., 1]\n"
        "return (...).to(x.dtype)\n```",
    ),
)
