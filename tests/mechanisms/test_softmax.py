import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.mechanisms.softmax import log_softmax, softmax

SHAPE = (2, 5, 7)


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
@pytest.mark.parametrize(
    "ours, theirs", [(softmax, torch.softmax), (log_softmax, torch.log_softmax)]
)
def test_values_and_gradients_equal_torch(ours, theirs, dim):
    logits = torch.randn(SHAPE, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(SHAPE, dtype=torch.float64)
    for scale in (1, 30):
        expected, actual = theirs(scale * logits, dim), ours(scale * logits, dim)
        torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-14)
        (wanted,) = torch.autograd.grad(expected, logits, upstream)
        (got,) = torch.autograd.grad(actual, logits, upstream)
        torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_gradients_and_second_gradients_by_finite_differences(function):
    logits = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: function(x, 0, 0.7), logits)
    assert torch.autograd.gradgradcheck(lambda x: function(x, 0, 0.7), logits)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_stable_for_huge_logits(dtype):
    logits = 1000 * torch.randn(SHAPE, dtype=dtype)
    torch.testing.assert_close(softmax(logits), torch.softmax(logits, -1))
    torch.testing.assert_close(log_softmax(logits), torch.log_softmax(logits, -1))


def test_minus_infinity_gets_exactly_nothing():
    probs = softmax(torch.tensor([1.0, -torch.inf, 0.5]))
    assert probs[1] == 0
    assert probs.sum() == pytest.approx(1)
    assert softmax(torch.full((3,), -torch.inf)).isnan().all()


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=9),
    st.floats(-100, 100),
    st.floats(0.05, 20),
)
def test_shift_changes_nothing_and_rows_sum_to_one(values, shift, temperature):
    logits = torch.tensor(values, dtype=torch.float64)
    probs = softmax(logits, temperature=temperature)
    torch.testing.assert_close(softmax(logits + shift, temperature=temperature), probs)
    assert probs.sum().item() == pytest.approx(1)
    assert (probs >= 0).all()


def test_temperature_divides_the_logits():
    logits = torch.randn(SHAPE)
    torch.testing.assert_close(softmax(logits, temperature=2.0), torch.softmax(logits / 2, -1))
    torch.testing.assert_close(
        log_softmax(logits, temperature=0.5), torch.log_softmax(logits * 2, -1)
    )


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_bad_temperature_is_named(function, temperature):
    with pytest.raises(
        ValueError, match=f"temperature must be a finite number > 0, got {temperature}"
    ):
        function(torch.zeros(3), temperature=temperature)


def test_jacobian_is_the_formula_of_lesson_21():
    logits = torch.randn(5, dtype=torch.float64)
    p = softmax(logits)
    jacobian = torch.autograd.functional.jacobian(softmax, logits)
    torch.testing.assert_close(jacobian, p.diag() - torch.outer(p, p))


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize(
    ("logits", "dim", "temperature", "error", "message"),
    [
        (torch.zeros(2, 3), 2, 1.0, ValueError, "dim must be an axis of logits, -2 to 1, got 2"),
        (torch.zeros(2, 3), None, 1.0, ValueError, "dim must be an axis .* got None"),
        (torch.zeros(2, 0), -1, 1.0, ValueError, r"logits must not be empty .* got \(2, 0\)"),
        (torch.tensor([1, 2]), -1, 1.0, TypeError, "logits must hold floating.* got torch.int64"),
        ([1.0, 2.0], -1, 1.0, TypeError, "logits must be a tensor, got list"),
        (torch.zeros(3), -1, "1", TypeError, "temperature must be a number, got '1'"),
    ],
)
def test_bad_input_is_named(function, logits, dim, temperature, error, message, as_shipped):
    with pytest.raises(error, match=message):
        as_shipped(function)(logits, dim, temperature)
