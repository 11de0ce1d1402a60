import random

import numpy as np
import pytest
import torch

from course_lib.checks.run import Case, run, state_kept

CASE = Case({"x": torch.tensor([1.0, 2.0]), "factor": 2})


def test_the_function_gets_copies():
    def spoil(x, factor):
        x.zero_()
        return x

    ran = run(spoil, CASE)
    assert ran.changed == "x" and CASE.inputs["x"].tolist() == [1, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda x: x.mul_(2),
        lambda x: x.resize_(1),
        lambda x: x.t_(),
        lambda x: x.__setitem__(0, float("nan")),
    ],
)
def test_every_kind_of_change_is_noticed(spoil):
    case = Case({"x": torch.tensor([[1.0, 2.0], [3.0, 4.0]])})
    assert run(lambda x: (spoil(x), torch.ones(2))[1], case).changed == "x"


def test_reading_alone_is_no_change_even_of_nan():
    case = Case({"x": torch.tensor([float("nan"), float("inf")])})
    assert run(lambda x: x + 1, case).changed is None
    assert run(lambda x: x.requires_grad_(), case).changed is None


def test_generators_and_settings_are_put_back():
    def noisy(x, factor):
        torch.manual_seed(0)
        np.random.seed(0)
        random.seed(0)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        return torch.rand(3)

    torch.manual_seed(5), np.random.seed(5), random.seed(5)
    expected = torch.rand(1).item(), np.random.rand(), random.random()
    torch.manual_seed(5), np.random.seed(5), random.seed(5)
    with state_kept():
        noisy(None, None)
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32
    assert (torch.rand(1).item(), np.random.rand(), random.random()) == expected


@pytest.mark.parametrize("error", [ValueError, SystemExit, RecursionError, GeneratorExit])
def test_exceptions_are_caught(error):
    def fails(x, factor):
        raise error("oh")

    assert type(run(fails, CASE).error) is error


def test_the_interrupt_button_comes_through():
    def interrupted(x, factor):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(interrupted, CASE)


def test_a_case_describes_small_inputs_in_full_and_large_ones_by_shape():
    assert CASE.describe() == "x = [1, 2], factor = 2"
    assert Case({"x": torch.zeros(3, 4)}).describe() == "x = a tensor of shape (3, 4)"
    assert Case({"mask": None}).describe() == "mask = None"
