"""What every exercise of every lesson must fulfil."""

import inspect
from pathlib import Path

import pytest
import torch
from exercises import EXERCISES

from course_lib.checks import lesson_01, lesson_21
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.softmax import softmax

TWINS = Path(__file__).parents[2] / "notebooks" / "text"
MISTAKES = [(e, m) for e in EXERCISES for m in e.mistakes]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)


def test_all_exercises_are_here():
    assert len(EXERCISES) >= 4 and len(MISTAKES) >= 70


@each_exercise
def test_solution_passes_and_stub_is_not_attempted(exercise):
    assert exercise.judge(exercise.reference).kind == "passed"
    assert exercise.judge(exercise.stub).kind == "not attempted"


@each_exercise
def test_solution_and_stub_as_printed_are_what_they_say(exercise, tmp_path):
    for function, kind in ((exercise.reference, "passed"), (exercise.stub, "not attempted")):
        # As in a lesson: with these two imports alone, and with a source that can be looked up.
        file = tmp_path / f"{kind}.py"
        file.write_text("import math\nimport torch\n" + exercise.source(function), encoding="utf8")
        space = {}
        exec(compile(file.read_text(encoding="utf8"), str(file), "exec"), space)
        assert exercise.judge(space[exercise.name.partition(".")[2]]).kind == kind


@each_exercise
def test_its_lesson_has_it_under_the_name_that_the_messages_use(exercise):
    lesson = exercise.name.partition(".")[0].removeprefix("lesson_")
    (twin,) = TWINS.glob(f"{lesson}_*.py")
    text = twin.read_text(encoding="utf8")
    for use in ("", ".check(", ".hint("):
        assert f"\n{exercise.short_name}{use}" in text, exercise.name + use


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=lambda x: x.name)
def test_every_mistake_gets_its_own_message(exercise, mistake):
    outcome = exercise.judge(mistake.wrong)
    assert outcome.kind in ("failed", "error")
    assert (outcome.mistake, outcome.message) == (mistake.name, mistake.message)


@each_exercise
def test_names_and_messages_differ_and_hints_do_not_give_the_answer_away(exercise):
    assert len({m.name for m in exercise.mistakes}) == len(exercise.mistakes)
    assert len({m.message for m in exercise.mistakes}) == len(exercise.mistakes)
    assert exercise.hints[0].rstrip().endswith(("?", "terms."))
    lines = [s.partition("#")[0].strip()
             for s in inspect.getsource(exercise.reference).splitlines()[1:]]  # fmt: skip
    assert not any(line and line in exercise.hints[0] + exercise.hints[1] for line in lines)
    space = {"torch": torch}
    shape = exercise.hints[2].partition("```python\n")[2].partition("```")[0]
    compile(f"def f():\n {shape.replace(chr(10), chr(10) + ' ')}pass", "hint", "exec")
    assert "..." in shape and space


@each_exercise
def test_messages_are_plain_sentences(exercise):
    for text in [exercise.task, exercise.explanation, *exercise.hints]:
        assert text.isprintable() or "\n" in text
    for mistake in exercise.mistakes:
        assert mistake.message[0].isupper() or mistake.message[0] == "`"
        assert mistake.message.rstrip()[-1] in ".?)" and mistake.message.count("`") % 2 == 0


def test_the_course_s_own_mechanisms_pass():
    right = lesson_01.temperature_softmax.judge(lambda x, t: softmax(x, temperature=t))
    assert right.passed

    def attention(q, k, v, visible=None):
        out = scaled_dot_product_attention(q, k, v, visible)
        return out.z, out.probs

    assert lesson_21.repair_attention.judge(attention).passed
    jacobian = torch.autograd.functional.jacobian
    assert lesson_21.softmax_jacobian.judge(
        lambda x, t: jacobian(lambda logits: torch.softmax(logits / t, -1), x)
    ).passed


def test_other_right_ways_pass():
    def by_power(logits, temperature):
        p = torch.softmax(logits.double(), dim=-1) ** (1 / temperature)
        return (p / p.sum(-1, keepdim=True)).float()

    small = [c for c in lesson_01.temperature_softmax.cases if not c.extreme]
    for case in small:
        expected = lesson_01.temperature_softmax.reference(*case.copies())
        assert torch.allclose(by_power(*case.copies()), expected, rtol=1e-4, atol=1e-6)

    def minus_1e9(q, k, v, visible=None):
        scores = torch.einsum("...id,...jd->...ij", q, k) * k.shape[-1] ** -0.5
        scores = scores if visible is None else scores.masked_fill(visible == 0, -1e9)
        probs = scores.softmax(-1)
        return probs @ v, probs

    assert lesson_21.repair_attention.judge(minus_1e9).passed
    assert lesson_21.score_variance.judge(lambda m, h, a, b: (m * a * b) ** 2).passed
    assert lesson_21.score_variance.judge(lambda m, h, a, b: torch.tensor((m * a * b) ** 2)).passed

    def by_loops(logits, temperature):
        p = torch.softmax(logits / temperature, dim=-1).tolist()
        n = range(len(p))
        return torch.tensor([[p[i] * (float(i == j) - p[j]) / temperature for j in n] for i in n])

    assert lesson_21.softmax_jacobian.judge(by_loops).passed


def test_score_variance_is_what_random_weights_give():
    generator = torch.Generator().manual_seed(3)
    case = {"d_model": 32, "d_head": 4, "sigma_q": 0.3, "sigma_k": 0.1}
    x = torch.nn.functional.layer_norm(torch.randn(2, 32, generator=generator), (32,))
    w_q, w_k = (s * torch.randn(50_000, 32, 4, generator=generator) for s in (0.3, 0.1))
    scores = ((x[0] @ w_q) * (x[1] @ w_k)).sum(-1) / 2
    # Kurtosis 3 + 6/d_head = 4.5 gives a relative standard error of sqrt(3.5 / 50000) < 1%.
    wanted = lesson_21.score_variance.reference(**case)
    assert abs(scores.var().item() / wanted - 1) < 0.04
