import torch

from course_lib.checks.coerce import coerce
from course_lib.checks.compare import agree, difference


def compare(returned, expected, names=("the result",)):
    return difference(coerce(returned), coerce(expected), names, rtol=1e-4, atol=1e-6)


def test_nan_is_the_same_mistake_but_never_the_right_answer():
    nan = torch.tensor([torch.nan])
    assert agree(coerce(nan), coerce(nan), 1e-4, 1e-6)
    assert compare(nan, nan) is not None


def test_tolerance_is_relative_and_infinity_exact():
    assert compare(1000.05, 1000.0) is None and compare(1000.2, 1000.0)
    assert compare(1e-7, 0.0) is None and compare(1e-5, 0.0)
    assert compare(torch.tensor(torch.inf), torch.tensor(torch.inf)) is None
    assert "inf" in compare(torch.tensor(torch.inf), torch.tensor(1e30))


def test_each_of_several_results_is_named():
    names = ("the outputs", "the probabilities")
    pair = (torch.zeros(2), torch.ones(3))
    assert compare(pair, pair, names) is None
    assert compare(torch.zeros(2), pair, names) == (
        "Return 2 things: the outputs, the probabilities."
    )
    assert "returns 3 things" in compare((*pair, torch.ones(1)), pair, names)
    wrong = compare((torch.zeros(2), torch.zeros(3)), pair, names)
    assert wrong.startswith("First wrong element of the probabilities: [0] is 0, expected 1")
    # The form of both comes before the values of either.
    wrong = compare((torch.ones(2), torch.zeros(4)), pair, names)
    assert wrong == "The probabilities: shape (4,) came out, but it should have shape (3,)."


def test_two_results_the_wrong_way_round():
    names = ("the outputs", "the probabilities")
    pair = (torch.zeros(2), torch.ones(2))
    order = "The two results are in the wrong order: the outputs first, then the probabilities."
    assert compare(pair[::-1], pair, names) == order
    # Of unlike shapes also when the values are wrong, and never when nothing tells them apart.
    assert (
        compare((torch.ones(3), torch.zeros(2)), (torch.zeros(2), torch.zeros(3)), names) == order
    )
    assert "First wrong element" in compare((torch.ones(2), pair[0]), (pair[0], pair[0]), names)
