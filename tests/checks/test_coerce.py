import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.checks.coerce import Unreadable, class_name, coerce


class Yes:
    """Agrees with everything, and says that it is a tensor."""

    __class__ = Tensor
    shape, dtype, ndim = torch.Size([3]), torch.float32, 1

    def _yes(self, *_):
        return self

    __eq__ = __sub__ = __rsub__ = __array__ = __getitem__ = _yes
    __hash__ = object.__hash__

    def __bool__(self):
        return True

    def __float__(self):
        return 1.0

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return torch.zeros(3)


class YesTensor(Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return torch.tensor(True)


class YesFloat(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class YesArray(np.ndarray):
    pass


class Nameless(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name for you")


class Hidden(metaclass=Nameless):
    pass


@pytest.mark.parametrize(
    "cheat",
    [
        Yes(),
        torch.ones(3).as_subclass(YesTensor),
        YesFloat(1),
        np.ones(3).view(YesArray),
        np.array([object()], dtype=object),
        [1.0, 2.0],
        "1.0",
        True,
        {"a": 1},
        Hidden(),
        (n for n in (1, 2)),
        torch.ones(3).sum,
        1 + 2j,
        torch.ones(2, dtype=torch.complex64),
        torch.ones(2, device="meta"),
        10**400,
        (torch.ones(2), Yes()),
        ((torch.ones(2),),),
        torch.ones(2).max(0),  # a tuple with names
        np.array(["1"]),
        None,
    ],
    ids=lambda cheat: class_name(cheat),
)
def test_what_is_not_plain_numbers_gets_nothing(cheat):
    with pytest.raises(Unreadable) as why:
        coerce(cheat)
    assert len(str(why.value)) > 20


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        (torch.tensor([1.0, 2.0]), "tensor"),
        (torch.nn.Parameter(torch.tensor([1.0, 2.0])), "tensor"),
        (torch.tensor([1.0, 2.0]).to_sparse(), "tensor"),
        (np.array([1.0, 2.0]), "array"),
        (np.array([2.0, 1.0])[::-1], "array"),
    ],
)
def test_plain_values_come_back_fresh(given, origin):
    plain = coerce(given)
    assert plain.origin == origin and type(plain.values) is Tensor
    assert plain.values.tolist() == [1.0, 2.0] and not plain.values.requires_grad


@pytest.mark.parametrize("one", [1, 1.0, np.float64(1), np.int64(1), torch.tensor(1.0)])
def test_single_numbers(one):
    assert coerce(one).values.shape == () and coerce(one).values.item() == 1


def test_later_changes_do_not_reach_the_copy():
    mine = torch.zeros(2)
    plain = coerce(mine)
    mine += 1
    assert plain.values.tolist() == [0, 0]


def test_a_method_hung_onto_one_tensor_is_not_called():
    mine = torch.zeros(3)
    mine.detach = mine.clone = mine.cpu = mine.double = lambda: torch.ones(3)
    assert coerce(mine).values.tolist() == [0, 0, 0]


def test_a_class_that_hides_its_name():
    assert class_name(Hidden()) == "Hidden"
