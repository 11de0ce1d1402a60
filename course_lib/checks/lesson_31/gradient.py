"""Lesson 31, third exercise: the gradient that layer norm hands down."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_31.gradient_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, upstream, eps):
    """The gradient at x, given the gradient at y = (x - mean) / root(variance + eps)."""
    raise NotImplementedError


def _solution(x, upstream, eps):
    spread = torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)
    y = (x - x.mean(-1, keepdim=True)) / spread
    lost_mean = upstream.mean(-1, keepdim=True)
    lost_along = y * (upstream * y).mean(-1, keepdim=True)
    return (upstream - lost_mean - lost_along) / spread


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(313)

    def case(*shape: int, eps: float, spread: float = 1.0, dtype=torch.float64) -> Case:
        x, upstream = torch.randn(2, *shape, generator=generator, dtype=torch.float64)
        return Case({"x": (2 + spread * x).to(dtype), "upstream": (1 + upstream).to(dtype),
                     "eps": eps})  # fmt: skip

    return (
        Case({"x": torch.tensor([1.0, 4.0, 1.0]), "upstream": torch.tensor([1.0, 0.0, 0.0]),
              "eps": 0.0}),
        case(5, eps=0.0, spread=3.0),
        case(4, eps=0.3),
        case(2, 3, 7, eps=0.05, spread=0.4, dtype=torch.float32),
        Case({"x": torch.full((3,), 0.5), "upstream": torch.tensor([1.0, 0.0, -2.0]),
              "eps": 1e-4}, extreme=1),
    )  # fmt: skip


norm_gradient = Exercise(
    name="lesson_31.norm_gradient",
    task=(
        r"Let $y = (x - \bar x) / \sqrt{\operatorname{Var}(x) + \epsilon}$, without gain and "
        "shift. Write `norm_gradient(x, upstream, eps)`: given the gradient of a loss at $y$, the "
        "gradient at $x$, without autograd. `x` and `upstream` have shape `[..., d]`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        r"Write $s = \sqrt{\operatorname{Var}(x) + \epsilon}$. The mean moves by $1/d$ with each "
        r"$x_j$, and $\partial s / \partial x_j = y_j / d$. So $\partial y_i / \partial x_j = "
        r"(1[i = j] - 1/d - y_i y_j / d) / s$, and the gradient at $x$ is the upstream gradient "
        r"less its mean, less its part along $y$, divided by $s$. With $\epsilon = 0$ nothing is "
        "left along $y$: a step that only scales x cannot be felt. The division by $s$ says that "
        "an x ten times as large gets a gradient ten times as small."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "What happens to y if the same number is added to every feature of x? And if x is scaled? "
        "What must the gradient along these two be when eps is 0?",
        "Three things depend on x: x itself, the mean, and the spread s. The derivative of s with "
        "respect to entry j is entry j of y, divided by d. Collect the three terms.",
        "```python\nspread = ...\ny = ...\n"
        "lost_mean = ...    # [..., 1]\n"
        "lost_along = ...   # [..., d], a multiple of y\n"
        "return (upstream - lost_mean - lost_along) / ...\n```",
    ),
    returns=("the gradient",),
)
