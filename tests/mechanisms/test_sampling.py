import pytest
import torch

from course_lib.mechanisms.sampling import sample
from course_lib.mechanisms.softmax import softmax


def test_temperature_zero_takes_the_largest():
    logits = torch.randn(4, 5, 7)
    assert torch.equal(sample(logits, 0), logits.argmax(-1))


def test_frequencies_follow_the_probabilities():
    logits = torch.tensor([0.0, 1.0, -torch.inf, 2.0])
    n = 20_000
    draws = sample(logits.expand(n, 4), 1.5, torch.Generator().manual_seed(1))
    shares = torch.bincount(draws, minlength=4) / n
    # Four standard errors of a share are at most 4 * 0.5 / sqrt(n) = 0.0141.
    torch.testing.assert_close(shares, softmax(logits, temperature=1.5), rtol=0, atol=0.0142)
    assert shares[2] == 0


def test_a_generator_makes_the_draw_repeatable():
    logits = torch.zeros(3, 50)
    first, again = (sample(logits, 1.0, torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(first, again)


@pytest.mark.parametrize("temperature", [-0.5, float("nan")])
def test_bad_temperature_is_named(temperature):
    with pytest.raises(ValueError, match="temperature"):
        sample(torch.zeros(3), temperature)


@pytest.mark.parametrize("temperature", [0, 1.0])
@pytest.mark.parametrize("row", [[0.0, float("nan")], [float("inf"), 0.0], [-float("inf")] * 2])
def test_logits_that_leave_nothing_to_draw_are_named(row, temperature):
    with pytest.raises(ValueError, match="logits must leave each row something to draw"):
        sample(torch.tensor([[0.0, 1.0], row]), temperature)


def test_a_temperature_that_overflows_is_named():
    with pytest.raises(ValueError, match="at temperature 1e-50"):
        sample(torch.ones(3), 1e-50)
