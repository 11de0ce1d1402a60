"""Lesson 31, third exercise: the gradient that RMS norm hands down."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_31.rms_gradient_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, gain, upstream, eps):
    """The gradient at x, given the gradient at the output gain * x / root(mean square + eps)."""
    raise NotImplementedError


def _solution(x, gain, upstream, eps):
    size = torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    y = x / size
    through_gain = gain * upstream
    lost = y * (through_gain * y).mean(-1, keepdim=True)
    return (through_gain - lost) / size


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(313)

    def case(*shape: int, eps: float, spread: float = 1.0, dtype=torch.float64) -> Case:
        x, upstream = torch.randn(2, *shape, generator=generator, dtype=torch.float64)
        gain = torch.randn(shape[-1], generator=generator, dtype=torch.float64)
        inputs = {"x": spread * (1 + x), "gain": gain, "upstream": 1 + upstream}
        return Case({name: value.to(dtype) for name, value in inputs.items()} | {"eps": eps})

    return (
        Case({"x": torch.tensor([3.0, 4.0]), "gain": torch.tensor([1.0, 2.0]),
              "upstream": torch.tensor([1.0, 0.0]), "eps": 0.0}),
        case(5, eps=0.0, spread=3.0),
        case(4, eps=0.3),
        case(2, 3, 7, eps=0.05, spread=0.4, dtype=torch.float32),
        case(3, 4, eps=0.1),
        Case({"x": torch.zeros(3), "gain": torch.tensor([1.0, 2.0, 3.0]),
              "upstream": torch.tensor([1.0, 0.0, -2.0]), "eps": 1e-4}, extreme=1),
    )  # fmt: skip


rms_gradient = Exercise(
    name="lesson_31.rms_gradient",
    task=(
        r"Let $z = g\,x / \sqrt{\overline{x^2} + \epsilon}$. Write `rms_gradient(x, gain, "
        "upstream, eps)`: given the gradient of a loss at $z$, the gradient at $x$, as a formula. "
        "`x` and `upstream` have shape `[..., d]`, `gain` has shape `[d]`. (Autograd would pass "
        "too, but then PyTorch has done the exercise.)"
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        r"Write $s = \sqrt{\overline{x^2} + \epsilon}$ and $y = x / s$. The gradient at $y$ is "
        r"upstream times gain. Since $\partial s / \partial x_j = x_j / (d s) = y_j / d$, the rest "
        r"is $\partial y_i / \partial x_j = (1[i = j] - y_i y_j / d) / s$: take the part along $y$ "
        "away and divide by $s$. No mean is taken away, because adding the same number to all "
        "features does change the output. The gain acts first, so what is taken away is the part "
        "along $y$ of a gradient that has the gain in it already."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "In which order does the gradient meet gain, division and size on its way back? And which "
        "one direction of x can RMS norm not feel when eps is 0?",
        "First back through the gain. Then two things depend on x: x itself and its size s. The "
        "derivative of s with respect to entry j is entry j of y = x / s, divided by d.",
        "```python\nsize = ...\ny = ...\n"
        "through_gain = ...\n"
        "lost = ...         # [..., d], a multiple of y\n"
        "return (through_gain - lost) / ...\n```",
    ),
    returns=("the gradient",),
)
