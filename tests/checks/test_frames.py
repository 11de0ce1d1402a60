import json

import pytest
import torch

from course_lib.checks.frames import is_empty, is_placeholder, report, same_code, started
from course_lib.checks.run import Case, run


def caught(function, *inputs):
    try:
        function(*inputs)
    except BaseException as error:
        return error
    raise AssertionError("no exception")


def test_own_line_and_message_and_nothing_else():
    def mine(x):
        return x / width  # noqa: F821

    text = report(caught(mine, 1), mine)
    line = mine.__code__.co_firstlineno + 1
    assert text == (
        f"In test_frames.py, line {line}: `return x / width  # noqa: F821`\n"
        "NameError: name 'width' is not defined"
    )


@pytest.mark.parametrize(
    "mine",
    [
        lambda: json.loads("{"),
        lambda: torch.nn.functional.softmax("text", dim=-1),
        lambda: torch.zeros(2) @ torch.zeros(3),
    ],
)
def test_errors_inside_libraries_point_at_the_own_line(mine):
    text = report(caught(mine), mine)
    assert text.startswith("In test_frames.py, line ") and "lambda" in text.splitlines()[0]
    assert "Traceback" not in text and "site-packages" not in text and "decoder" not in text


def test_a_helper_of_the_learner_is_shown():
    def helper(x):
        return 1 / x

    def mine(x):
        return helper(x)

    assert "return 1 / x" in report(caught(mine, 0), mine)


def test_code_from_an_exec_has_its_line():
    space = {}
    exec("def mine(x):\n    return 1 / x", space)
    assert report(caught(space["mine"], 0), space["mine"]).startswith("In <string>, line 2")


def test_a_cell_is_named_by_its_number(monkeypatch):
    class Shell:
        class compile:
            @staticmethod
            def format_code_name(name):
                return ("Cell", "In[7]")

    monkeypatch.setattr("IPython.get_ipython", lambda: Shell)

    def mine(x):
        return 1 / x

    assert report(caught(mine, 0), mine).startswith("In cell [7], line ")


def test_endless_recursion_and_exit_get_a_word():
    def forever(x):
        return forever(x)

    assert "without ever coming to an end" in report(caught(forever, 0), forever)
    assert "end the whole session" in report(caught(lambda: exit()), lambda: None)


def test_a_call_that_never_started():
    def mine(x):
        return 1 / x

    assert not started(run(mine, Case({})).error, mine)
    assert started(run(mine, Case({"x": 0})).error, mine)


def test_long_and_unreadable_messages():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def long():
        raise ValueError("x" * 10_000)

    def mute():
        raise Mute

    assert len(report(caught(long), long)) < 600
    assert "cannot be read" in report(caught(mute), mute)


def test_the_stub_is_a_placeholder_but_a_failing_library_is_not():
    def stub(x):
        raise NotImplementedError

    def with_text(x):
        raise NotImplementedError("write me")

    def library(x):
        return torch.nn.Module()(x)

    def other(x):
        raise ValueError

    assert is_placeholder(caught(stub, 1), stub)
    assert is_placeholder(caught(with_text, 1), with_text)
    assert not is_placeholder(caught(library, 1), library)
    assert not is_placeholder(caught(other, 1), other)


def test_same_code_looks_past_comments_docstring_and_annotations():
    def one(x, y=None):
        """Something."""
        return x + width(y)  # noqa: F821

    def two(x: int, y: int = None):
        # said differently
        return x + width(y)  # noqa: F821

    def three(x, y=None):
        return x + depth(y)  # noqa: F821

    assert same_code(one, two)
    assert not same_code(one, three)
    assert not same_code(len, len)


def test_a_library_s_not_implemented_is_no_placeholder_even_without_source():
    space = {}
    exec("def mine(x):\n    return x ^ 2", space)
    assert not is_placeholder(caught(space["mine"], torch.ones(2)), space["mine"])
    exec("def mine(x):\n    raise NotImplementedError", space)
    assert is_placeholder(caught(space["mine"], 1), space["mine"])


def test_an_empty_body_is_told_from_one_that_does_something():
    def dots(x): ...

    def says(x):
        print("thinking")

    def keeps(x):
        y = 1  # noqa: F841

    assert is_empty(dots) and is_empty(lambda x: None)
    assert not any(is_empty(f) for f in (says, keeps, lambda x: x, len))
