"""What counts as a try: every function whose body was changed, and nothing else."""

import pytest
import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.run import Case

CASE = Case({"x": torch.tensor([1.0, 2.0]), "factor": 3})


def stub(x, factor):
    """Stub."""
    raise NotImplementedError


def solution(x, factor):
    return x * factor


@pytest.fixture
def exercise():
    hints = ("question", "pointer", "shape")
    return Exercise("lesson_99.scale", "", stub, solution, "", (CASE,), (), hints)


@pytest.mark.parametrize("nothing", [None, ..., stub, lambda x, f: None, lambda x, f: ...])
def test_nothing_handed_in(exercise, nothing):
    assert exercise.judge(nothing).kind == "not attempted"


def with_other_words(x, factor):
    """Said differently."""
    raise NotImplementedError("write me")


def with_pass(x, factor):
    # not yet
    pass


def with_dots(x, factor):
    """Not yet."""
    ...


def with_other_parameters(x):
    raise NotImplementedError


@pytest.mark.parametrize("empty", [with_other_words, with_pass, with_dots, with_other_parameters])
def test_an_empty_body_is_not_attempted(exercise, empty):
    outcome = exercise.judge(empty)
    assert outcome.kind == "not attempted" and "in place of" in outcome.message


def prints(x, factor):
    print(x * factor)


def returns_none(x, factor):
    result = x * factor  # noqa: F841
    return None


def keeps_the_stub_s_last_line(x, factor):
    print(x * factor)
    raise NotImplementedError


def returns_dots(x, factor):
    result = x * factor  # noqa: F841
    return ...


@pytest.mark.parametrize(
    ("mine", "message"),
    [
        (prints, "Your function returns nothing (None); end it with `return ...`"),
        (returns_none, "Your function returns nothing (None); end it with `return ...`"),
        (keeps_the_stub_s_last_line, "as far as `raise NotImplementedError`; put `return ...`"),
        (returns_dots, "the dots that stand for what you are to write"),
    ],
)
def test_a_changed_body_that_returns_nothing_is_a_try(exercise, mine, message, capsys):
    outcome = exercise.judge(mine)
    assert outcome.kind == "failed" and message in outcome.message
    exercise.check(mine)
    capsys.readouterr()
    exercise.hint()
    assert "question" in capsys.readouterr().out


def test_the_stub_s_own_code_is_judged_when_a_name_of_the_notebook_makes_it_run(tmp_path):
    file = tmp_path / "given.py"
    file.write_text("def f(x, factor):\n    return x * missing\n", encoding="utf8")
    spaces = [{}, {"missing": 7}, {"missing": "text"}]
    for space in spaces:
        exec(compile(file.read_text(encoding="utf8"), str(file), "exec"), space)
    given = spaces[0]["f"]
    task = Exercise("lesson_99.f", "", given, solution, "", (CASE,), (), ("", "", ""))
    kinds = [task.judge(space["f"]).kind for space in spaces]
    assert kinds == ["not attempted", "failed", "error"]
