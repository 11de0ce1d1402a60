"""Answers as learners write them, beyond the mistakes that each exercise lists."""

import inspect
import math

import pytest
import torch

from course_lib.checks import lesson_01, lesson_21
from course_lib.checks.lesson_21.constant import attend
from course_lib.mechanisms.attention import scaled_dot_product_attention

repair, variance = lesson_21.repair_attention, lesson_21.score_variance
jacobian, softmax = lesson_21.softmax_jacobian, lesson_01.temperature_softmax
PRINTED = inspect.getsource(lesson_21.broken_attention)


def in_a_notebook(source, tmp_path, **names):
    """The function `f` as a cell would define it, its source within reach."""
    file = tmp_path / "cell.py"
    file.write_text(source, encoding="utf8")
    space = {"math": math, "torch": torch, **names}
    exec(compile(source, str(file), "exec"), space)
    return next(v for n, v in space.items() if n in ("f", "broken_attention"))


@pytest.mark.parametrize("d_k", [2, 3, 4, 5, 8, 16, 64, 100, 256, 512, 768, 1024, 12288, 2.5])
def test_any_constant_d_k_is_recognised(d_k):
    constant = lambda q, k, v, visible=None: attend(q, k, v, visible, 1 / math.sqrt(d_k))  # noqa: E731
    outcome = repair.judge(constant)
    assert outcome.mistake == "a constant"
    assert f"by {math.sqrt(d_k):.4g} everywhere" in outcome.message
    assert (f"root of the constant {d_k}" in outcome.message) == isinstance(d_k, int)


def test_a_constant_factor_is_recognised_and_1_is_no_scaling():
    for factor, words in (
        (8, "multiply the scores by 8 everywhere"),
        (0.3, "divide the scores by"),
    ):
        outcome = repair.judge(lambda q, k, v, m=None, f=factor: attend(q, k, v, m, f))
        assert outcome.mistake == "a constant" and words in outcome.message
    assert repair.judge(lambda q, k, v, m=None: attend(q, k, v, m, 1)).mistake == "no scaling"


def test_a_constant_is_named_even_when_the_mask_is_wrong_too():
    assert repair.judge(lambda q, k, v, m=None: attend(q, k, v, None, 0.5)).mistake == "a constant"


@pytest.mark.parametrize(
    "not_constant",
    [
        lambda q, k, v, m=None: attend(q, k, v, m, q.size(-1) ** -0.25),
        lambda q, k, v, m=None: attend(q, -k, v, m, 0.5),
        lambda q, k, v, m=None: attend(q, 0 * k, v, m, 0.5),
        lambda q, k, v, m=None: attend(q, k, 2 * v, m, 0.5),
        lambda q, k, v, m=None: attend(q, k, v, m, torch.nan),
        lambda q, k, v, m=None: (torch.zeros(2), torch.zeros(2)),
    ],
)
def test_what_is_no_constant_is_not_called_one(not_constant):
    outcome = repair.judge(not_constant)
    assert outcome.kind == "failed" and outcome.mistake is None


@pytest.mark.parametrize("d_k", [2, 64])
def test_a_d_k_of_the_notebook_is_judged_by_what_it_computes(d_k, tmp_path):
    assert repair.judge(in_a_notebook(PRINTED, tmp_path)).kind == "not attempted"
    outcome = repair.judge(in_a_notebook(PRINTED, tmp_path, d_k=d_k))
    assert outcome.kind == "failed" and f"the constant {d_k}" in outcome.message
    above = in_a_notebook(f"d_k = {d_k}\n\n{PRINTED}", tmp_path)
    assert f"the constant {d_k}" in repair.judge(above).message


def test_the_broken_function_stays_broken_whatever_the_notebook_holds(monkeypatch):
    import __main__

    monkeypatch.setattr(__main__, "d_k", 64, raising=False)
    q = torch.ones(2, 3)
    with pytest.raises(NameError, match="d_k"):
        lesson_21.broken_attention(q, q, q)


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("d_k = q.shape[1]", "axis 1 of q"),
        ("d_k = k.shape[1]", "axis 1 of k"),
        ("d_k = q.shape[2]", None),
        ("d_k = q.size(2)", "axis 2 of q"),
        ("d_k = len(k)", "size of the first axis of k"),
        ("d_k = len(q)", "size of the first axis"),
        ("d_k = 768", "a constant"),
    ],
)
def test_wrong_widths_as_they_are_written(line, mistake, tmp_path):
    first, rest = PRINTED.split("\n", 1)
    outcome = repair.judge(in_a_notebook(f"{first}\n    {line}\n{rest}", tmp_path))
    assert outcome.mistake == mistake and not outcome.passed


def test_hiding_with_0_is_named(tmp_path):
    source = PRINTED.replace("d_k", "q.size(-1)").replace("-math.inf", "0")
    assert "set the scores of hidden" in repair.judge(in_a_notebook(source, tmp_path)).message


def returns(pick):
    return lambda q, k, v, m=None: pick(scaled_dot_product_attention(q, k, v, m))


@pytest.mark.parametrize(
    ("pick", "message"),
    [
        (lambda a: [a.z, a.probs], "is a list. Return 2 tensors separated by a comma"),
        (lambda a: a, "of class AttentionOutput, a tuple of 3 parts. Return 2 tensors"),
        (lambda a: tuple(a), "returns 3 things; 2 things (the outputs, the probabilities)"),
        (lambda a: (a.probs, a.z), "in the wrong order: the outputs first, then the probab"),
        (lambda a: (a.probs + 1, a.z), "in the wrong order"),
        (lambda a: ((a.z,), a.probs), "Part 1 of the result is itself a tuple"),
        (lambda a: a.z, "Return 2 things: the outputs, the probabilities."),
        (lambda a: (a.z, None), "Part 2 of the result is None"),
    ],
)
def test_two_results_in_another_form(pick, message):
    outcome = repair.judge(returns(pick))
    assert outcome.kind == "failed" and message in outcome.message


@pytest.mark.parametrize("thing", [[1.0], "1.0", {}, True, torch.ones(2).sum, torch.ones(2).max(0)])
def test_score_variance_asks_for_a_number(thing):
    outcome = variance.judge(lambda *inputs: thing)
    assert outcome.kind == "failed" and "tensor" not in outcome.message
    assert "a number" in outcome.message or "brackets of a call" in outcome.message


def test_score_variance_says_that_a_vector_should_be_one_number():
    assert "be a single number" in variance.judge(lambda *inputs: torch.ones(2)).message


@pytest.mark.parametrize(
    "mine",
    [
        lambda x, t: (x / t).exp() / (x / t).exp().sum(-1),
        lambda x, t: (x / t).exp() / (x / t).exp().sum(dim=-1, keepdim=False),
        lambda x, t: torch.softmax(x / t - (x / t).max(-1).values, -1),
    ],
)
def test_an_axis_that_is_not_kept(mine):
    outcome = softmax.judge(mine)
    assert outcome.kind == "error" and "keepdim=True" in outcome.message + outcome.details


def test_max_without_values_gets_a_line():
    outcome = softmax.judge(lambda x, t: (x / t - (x / t).max(-1)).exp())
    assert outcome.kind == "error" and "`x.max(...).values` is the first" in outcome.details


def test_a_truth_value_in_the_jacobian_gets_a_line():
    def mine(logits, temperature):
        p = torch.softmax(logits / temperature, dim=-1)
        n = range(len(p))
        return torch.tensor([[p[i] * ((i == j) - p[j]) for j in n] for i in n])

    outcome = jacobian.judge(mine)
    assert outcome.kind == "error" and "`float(i == j)`" in outcome.details


def test_a_wrong_formula_is_named_before_a_forgotten_temperature():
    for p_at in (lambda x, t: x, lambda x, t: x / t):
        p = lambda x, t, at=p_at: torch.softmax(at(x, t), -1)  # noqa: E731
        plus = jacobian.judge(lambda x, t, p=p: p(x, t).diag() + p(x, t).outer(p(x, t)))
        assert plus.mistake == "plus in place of minus"
