import numpy as np
import pytest
import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def stub(x, factor):
    """Stub."""
    raise NotImplementedError


def solution(x, factor):
    return x * factor


def overflowing(x, factor):
    return torch.where(x > 100, torch.nan, x * factor)


@pytest.fixture
def exercise():
    return Exercise(
        name="lesson_99.scale",
        task="Multiply.",
        stub=stub,
        reference=solution,
        explanation="Times does it.",
        cases=(
            Case({"x": torch.tensor([1.0, 2.0]), "factor": 3}),
            Case({"x": torch.tensor([[1.0, -2.0]]), "factor": 0.5}),
            Case({"x": torch.tensor([1000.0]), "factor": 2}, extreme=True),
        ),
        mistakes=(
            Mistake("adds", lambda x, factor: x + factor, "Do you add <it>?"),
            Mistake("transposes", lambda x, factor: (x * factor).mT, "Why transpose?"),
            Mistake("overflows", overflowing, "Large ones?"),
        ),
        hints=("question", "pointer", "shape"),
    )


def test_a_right_function_passes(exercise):
    assert exercise.judge(solution).kind == "passed"
    assert exercise.judge(lambda a, b: torch.nn.Parameter(b * a)).passed
    assert exercise.judge(lambda x, factor: x.numpy() * factor).passed
    assert "All 3 cases" in exercise.judge(solution).message


def test_a_return_forgotten_on_one_way_only(exercise):
    outcome = exercise.judge(lambda x, factor: x * factor if x.ndim == 1 else None)
    assert outcome.kind == "failed" and "on every way through it" in outcome.message
    assert "factor = 0.5" in outcome.details


def test_a_known_mistake_is_named_with_what_came_out(exercise):
    outcome = exercise.judge(lambda x, factor: factor + x)
    assert (outcome.kind, outcome.mistake) == ("failed", "adds")
    assert outcome.message == "Do you add <it>?"
    assert "[0] is 4, expected 3 (2 of 2 elements are off)" in outcome.details
    assert "x = [1, 2], factor = 3" in outcome.details


def test_a_second_mistake_on_extreme_cases_does_not_hide_the_first(exercise):
    both = exercise.judge(lambda x, factor: torch.where(x > 100, torch.nan, x + factor))
    assert both.mistake == "adds"
    assert exercise.judge(overflowing).mistake == "overflows"


def test_an_exception_that_a_known_mistake_raises_too_is_explained(exercise):
    outcome = exercise.judge(lambda x, factor: (factor * x).mT)
    assert (outcome.kind, outcome.mistake) == ("error", "transposes")
    assert "In test_exercise.py, line" in outcome.details


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x, f: (x * f).sum(), "shape () came out, but it should have shape (2,)"),
        (
            lambda x, f: x.double() * f,
            "dtype torch.float64 came out, but it should be torch.float32",
        ),
        (lambda x, f: (x * f).int(), "dtype torch.int32 came out"),
        (lambda x, f: x.numpy().astype(np.int64), "fractions get lost"),
        (lambda x, f: (x * f).tolist(), "is a list"),
        (lambda x, f: (x * f, x), "returns 2 things; one is wanted"),
        (lambda x, f: (x * f,), "take the comma at the end away"),
        (lambda x, f: (x * f).max(0), "is of class max, a tuple of 2 parts. Return a plain"),
        (lambda x, f: x * f / 0 * 0, "[0] is nan, expected 3"),
        (lambda x, f: x * f * 1.001, "[0] is 3.003, expected 3"),
        (lambda x, f: (x * f).sum, "brackets of a call missing"),
        (lambda x, f: "text", "object of class str"),
        (lambda x, f: float(x.sum()), "shape () came out"),
    ],
)
def test_wrong_results_are_described(exercise, wrong, message):
    outcome = exercise.judge(wrong)
    assert outcome.kind == "failed" and message in outcome.message


def test_shape_comes_before_values_and_before_dtype(exercise):
    assert "shape" in exercise.judge(lambda x, f: torch.zeros(7).double()).message
    assert "dtype" in exercise.judge(lambda x, f: torch.zeros_like(x).double()).message


def test_changing_an_input_is_noticed_even_when_the_result_is_right(exercise):
    def in_place(x, factor):
        x *= factor
        return x

    outcome = exercise.judge(in_place)
    assert outcome.kind == "failed" and "changes its input `x`" in outcome.message
    assert exercise.judge(solution).passed


def test_an_exception_shows_the_own_line_and_the_case(exercise):
    def mine(x, factor):
        if x.ndim == 2:
            return x @ x
        return x * factor

    outcome = exercise.judge(mine)
    assert outcome.kind == "error"
    assert "`return x @ x`" in outcome.details and "RuntimeError" in outcome.details
    assert "factor = 0.5" in outcome.details and "Traceback" not in outcome.details


def test_wrong_parameters_and_wrong_things_handed_in(exercise):
    outcome = exercise.judge(lambda x: x)
    assert outcome.message == "The function could not be called as `f(x, factor)`."
    assert exercise.judge(torch.ones(2)).kind == "error"
    assert "without brackets" in exercise.judge(3.0).message


def test_exit_does_not_end_the_session_but_an_interrupt_stops_the_check(exercise, capsys):
    assert exercise.judge(lambda x, f: exit()).kind == "error"

    def endless(x, factor):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exercise.check(endless)
    assert "interrupted. In test_exercise.py, line" in capsys.readouterr().out


def test_check_counts_and_says_what_has_opened(exercise, capsys):
    def shown(call, *given):
        call(*given)
        return capsys.readouterr().out

    assert "Try first" in shown(exercise.hint)
    assert "after 2 more tries" in shown(exercise.solution)
    assert "not attempted: lesson_99.scale." in shown(exercise.check, stub)
    assert "Try first" in shown(exercise.hint)
    first = shown(exercise.check, lambda x, f: x)
    assert "`scale.hint()` opens a hint." in first and "solution()" not in first
    assert "Hint 1 of 4.** question" in shown(exercise.hint)
    assert "after 1 more try," in shown(exercise.solution)
    second = shown(exercise.check, lambda x, f: 1 / 0)
    assert "hint()` opens a hint; `scale.solution()` shows" in second
    assert "Hint 2 of 4.** pointer" in shown(exercise.hint)
    solved = shown(exercise.solution)
    assert "def scale(x, factor):\n    return x * factor\n" in solved and "Times does" in solved
    shown(exercise.check, lambda x, f: x), shown(exercise.check, lambda x, f: x)
    assert "shape" in shown(exercise.hint)
    assert "def scale(x, factor):" in shown(exercise.hint)
    exercise.reset()
    assert "Try first" in shown(exercise.hint)
    assert "passed: lesson_99.scale." in shown(exercise.check, solution)
    assert "def scale" in shown(exercise.solution)


def test_a_grader_can_judge_without_using_up_a_try(exercise):
    exercise.judge(lambda x, f: x)
    assert exercise.ladder.failed_tries == 0


def test_printing_is_harmless_and_the_stub_is_shown_under_its_name(exercise, capsys):
    assert exercise.judge(lambda x, f: (print("hello"), x * f)[1]).passed
    assert exercise.source(stub).startswith("def scale(x, factor):")
    assert repr(exercise) == exercise._repr_markdown_() == "Multiply."


def test_html_is_escaped_and_code_is_set_as_code(exercise):
    html = exercise.judge(lambda x, factor: factor + x).add("`a < b`")._repr_html_()
    assert "Do you add &lt;it&gt;?" in html and "<code>a &lt; b</code>" in html
    assert "#" not in html and " color:" not in html


def test_writing_into_an_input_is_heard_of_before_a_known_mistake(exercise):
    outcome = exercise.judge(lambda x, factor: x.add_(factor))
    assert outcome.mistake is None and "changes its input" in outcome.message


@pytest.mark.parametrize(
    ("huge", "said"),
    [
        # 4 TB to compare, without the memory for them: the check itself must not raise.
        (lambda: torch.zeros(1).expand(10**6, 10**6), "too many numbers to compare"),
        (lambda: np.broadcast_to(np.zeros(1), (10**6, 10**6)), "too many numbers to compare"),
        (lambda: torch.nested.nested_tensor([torch.zeros(2)], layout=torch.strided), "nested"),
    ],
)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_result_that_cannot_be_compared_fails(exercise, huge, said):
    outcome = exercise.judge(lambda *_: huge())
    assert outcome.kind == "failed" and said in outcome.message
