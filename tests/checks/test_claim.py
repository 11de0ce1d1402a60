import math

import numpy as np
import pytest
import torch

from course_lib.checks.claim import Claim, ClaimFailed, claim, judge
from course_lib.checks.conditions import condition_from

NAN, INF = float("nan"), float("inf")


def said(capsys, measured, *, control, text="It is so", because="it was measured", **condition):
    claim(text, measured, because=because, control=control, **condition)
    return capsys.readouterr().out


def test_the_line_has_measurement_condition_reason_and_control(capsys):
    values = torch.linspace(0.991, 1.004, 24)
    line = said(
        capsys, values, near=1, within=0.03, text="Var(q.k)/d_k is 1",
        because="24 runs", control={"q = k": 2.01},
    )  # fmt: skip
    assert line == (
        "Holds: Var(q.k)/d_k is 1. Measured 0.991 to 1.004 over 24 values; wanted 1 ± 0.03 "
        "(because 24 runs). Control (q = k): 2.01, fails as it should.\n"
    )


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ({"near": 1, "within": 0.1}, [0.95, 1.05], [0.95, 1.2]),
        ({"near": [1, 2], "within": [0.1, 0.5]}, [1.05, 2.4], [1.4, 2.4]),
        ({"above": 2}, [2.1, 5], [2.1, 2]),
        ({"below": [1, 2]}, [0, 1.5], [1.5, 0]),
        ({"equals": 0}, torch.zeros(3, 3), torch.eye(3)),
        ({"equals": (2, 3)}, torch.Size([2, 3]), (3, 2)),
        ({"equals": True}, torch.tensor([True, True]), torch.tensor([True, False])),
        ({"equals": "NameError"}, "NameError", "ValueError"),
        ({"equals": ["a", "b"]}, ["a", "b"], ["b", "a"]),
        ({"equals": -INF}, [-INF, -INF], [-INF, 0]),
        ({"equals": 2**53 + 1}, 2**53 + 1, 2**53),
        ({"above": 0}, np.array([1.0, 2.0]), np.float64(-1)),
    ],
)
def test_every_value_must_satisfy_the_condition(capsys, condition, good, bad):
    said(capsys, good, control=bad, **condition)
    with pytest.raises(ClaimFailed, match="Does not hold"):
        said(capsys, bad, control=bad, **condition)
    with pytest.raises(ClaimFailed, match="could not have failed"):
        said(capsys, good, control=good, **condition)


@pytest.mark.parametrize("odd", [NAN, INF, -INF])
@pytest.mark.parametrize("condition", [{"near": 1, "within": 1e6}, {"above": 0}, {"below": 9}])
def test_nan_and_infinity_never_pass(capsys, odd, condition):
    with pytest.raises(ClaimFailed, match=r"\[1\] = -?(nan|inf)"):
        said(capsys, [1.0, odd], control=None, **condition)


def test_nan_passes_no_equality(capsys):
    with pytest.raises(ClaimFailed):
        said(capsys, NAN, equals=1, control=2)
    with pytest.raises(ValueError, match="NaN equals nothing"):
        said(capsys, NAN, equals=NAN, control=2)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({}, "exactly one of near, above, below, equals; got none"),
        ({"near": 1, "within": 1, "above": 0}, "got near, above"),
        ({"equals": 1, "below": 3}, "got below, equals"),
        ({"near": 1}, "near needs within"),
        ({"near": 1, "within": 0}, "within must be > 0"),
        ({"near": 1, "within": -0.1}, "within must be > 0"),
        ({"near": 1, "within": [0.1, 0]}, "within must be > 0"),
        ({"near": 1, "within": NAN}, "within must be finite"),
        ({"near": 1, "within": INF}, "within must be finite"),
        ({"near": NAN, "within": 1}, "near must be finite"),
        ({"above": -INF}, "above must be finite"),
        ({"below": NAN}, "below must be finite"),
        ({"equals": 1, "within": 0.1}, "within belongs to near"),
    ],
)
def test_a_condition_that_says_nothing_is_refused(capsys, condition, message):
    with pytest.raises(ValueError, match=message):
        said(capsys, 1.0, control=5, **condition)


@pytest.mark.parametrize(
    "condition",
    [
        {"near": [1, 2, 3], "within": 9},
        {"equals": [1, 2, 3]},
        {"near": 1, "within": [1, 2, 3]},
        {"above": [[0], [0]]},
    ],
)
def test_shapes_that_do_not_fit_are_an_error_not_a_failure(capsys, condition):
    with pytest.raises(ValueError, match="shape"):
        said(capsys, [1, 2], control=[9, 9], **condition)


def test_a_control_of_the_wrong_form_does_not_count_as_failing(capsys):
    with pytest.raises(ValueError, match="shape"):
        said(capsys, [1, 2], near=[1, 2], within=0.5, control=[7, 8, 9])
    with pytest.raises(TypeError, match="control"):
        said(capsys, 1.0, near=1, within=0.5, control="broken")
    with pytest.raises(ValueError, match="control is empty"):
        said(capsys, 1.0, near=1, within=0.5, control=[])
    with pytest.raises(ValueError, match="empty dict"):
        said(capsys, 1.0, near=1, within=0.5, control={})
    with pytest.raises(TypeError, match="control and equals"):
        said(capsys, 1, equals=1, control=False)


@pytest.mark.parametrize("empty", [[], torch.empty(0), np.zeros((0, 3))])
def test_no_values_is_an_error(capsys, empty):
    with pytest.raises(ValueError, match="measured is empty"):
        said(capsys, empty, above=0, control=-1)


@pytest.mark.parametrize("odd", ["text", None, {"a": 1}, {1, 2}, [1, [2]], object(), [1, "a"]])
def test_what_is_no_number_is_an_error(capsys, odd):
    with pytest.raises(TypeError, match="measured must be"):
        said(capsys, odd, above=0, control=-1)


def test_truth_values_and_complex_numbers_have_no_size(capsys):
    with pytest.raises(TypeError, match="True/False"):
        said(capsys, True, above=0, control=-1)
    with pytest.raises(TypeError, match="real"):
        said(capsys, 1j, above=0, control=-1)


@pytest.mark.parametrize("nothing", ["", "  "])
def test_text_and_reason_must_say_something(capsys, nothing):
    with pytest.raises(ValueError, match="because must say"):
        said(capsys, 1, equals=1, because=nothing, control=2)
    with pytest.raises(ValueError, match="text must say"):
        said(capsys, 1, equals=1, text=nothing, control=2)


def test_reason_and_control_cannot_be_left_out():
    with pytest.raises(TypeError, match="because"):
        claim("x", 1, equals=1, control=2)
    with pytest.raises(TypeError, match="control"):
        claim("x", 1, equals=1, because="y")


def test_a_claim_without_control_says_so(capsys):
    assert "No control: no broken variant was run." in said(capsys, 1, equals=1, control=None)


def test_every_one_of_several_controls_must_fail(capsys):
    controls = {"no scaling": 64, "no square root": [0.1, 0.2]}
    line = said(capsys, 1, near=1, within=0.5, control=controls)
    assert "Controls (no scaling): 64; (no square root): 0.1, 0.2; all fail" in line
    with pytest.raises(ClaimFailed, match=r"the broken variant \(harmless\) measured 1.25"):
        said(capsys, 1, near=1, within=0.5, control={**controls, "harmless": 1.25})


def test_a_failure_names_all_wrong_values_up_to_ten(capsys):
    with pytest.raises(ClaimFailed) as failed:
        said(capsys, torch.tensor([[0.5, 1.03000001], [1, 1.2]], dtype=torch.float64),
             near=1, within=0.03, because="four standard errors", control=2)  # fmt: skip
    assert "[0, 0] = 0.5, [0, 1] = 1.03000001, [1, 1] = 1.2" in str(failed.value)
    assert "because four standard errors" in str(failed.value)
    with pytest.raises(ClaimFailed, match=r"\[9\] = 9, and 90 more"):
        said(capsys, list(range(100)), below=0, control=2)
    assert issubclass(ClaimFailed, AssertionError)


def test_gradients_and_half_precision_are_read(capsys):
    said(capsys, torch.ones(2, requires_grad=True), equals=1, control=2)
    said(capsys, torch.ones(2, dtype=torch.bfloat16), equals=1, control=2)


def test_html_is_escaped_and_sets_no_colour():
    shown = judge("<b>x</b> & y", 1, condition_from(None, None, None, None, 1), "1 < 2", 2)
    html = shown._repr_html_()
    assert isinstance(shown, Claim)
    assert "&lt;b&gt;x&lt;/b&gt; &amp; y" in html and "1 &lt; 2" in html
    assert "background" not in html and "#" not in html and " color:" not in html


def test_whole_numbers_and_ranges_read_as_people_write_them(capsys):
    assert "Measured 124,439,808;" in said(capsys, 124439808, equals=124439808, control=0)
    assert "0 in all 9 values" in said(capsys, torch.zeros(3, 3), equals=0, control=1)
    line = said(capsys, [0.0] * 9, equals=0, control=[1.0, NAN, math.pi, 2, 3])
    assert "1 to 3.142 over 5 values, 1 of them NaN" in line
    assert "NaN in all 5 values" in said(capsys, [0.0] * 5, equals=0, control=[NAN] * 5)


def test_a_sparse_tensor_is_read_as_its_numbers():
    sparse = torch.eye(2).to_sparse()
    condition = condition_from(None, None, -1, None, None)
    assert condition.passes(condition.read("measured", sparse)).all()
