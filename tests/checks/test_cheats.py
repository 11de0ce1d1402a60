"""Ways to be told "passed" without having the answer."""

import numpy as np
import pytest
import torch
from exercises import EXERCISES
from torch import Tensor


class Agreeable:
    """Equal to everything, its difference to everything is 0, and it claims to be a tensor."""

    __class__ = Tensor

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def _self(self, *_):
        return self

    __eq__ = __le__ = __lt__ = __sub__ = __rsub__ = __abs__ = __getitem__ = __iter__ = _self
    __hash__ = object.__hash__

    def __bool__(self):
        return True

    def __float__(self):
        return 0.0

    def __array__(self, *args, **kwargs):
        return np.zeros(3)


class AgreeableTensor(Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.isclose, torch.allclose, torch.equal):
            return torch.tensor(True)
        return super().__torch_function__(func, types, args, kwargs)


class AgreeableTuple(tuple):
    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__


def with_patched_methods(*inputs):
    fake = torch.zeros(3)
    fake.detach = fake.clone = fake.double = lambda: Agreeable()
    return fake


def remembers_inputs():
    """Writes the answer it would like into the inputs it was given, for later."""

    def function(*inputs):
        for value in inputs:
            if type(value) is Tensor and value.is_floating_point():
                value.fill_(0.5)
        return torch.zeros(3)

    return function


CHEATS = {
    "object": lambda *inputs: Agreeable(),
    "subclass": lambda *inputs: torch.zeros(3).as_subclass(AgreeableTensor),
    "array of objects": lambda *inputs: np.array([object()] * 3, dtype=object),
    "tuple subclass": lambda *inputs: AgreeableTuple((torch.zeros(2), torch.zeros(2))),
    "pair of objects": lambda *inputs: (Agreeable(), Agreeable()),
    "patched methods": with_patched_methods,
    "nan": lambda *inputs: torch.full((3,), torch.nan),
    "infinity": lambda *inputs: float("inf"),
    "empty": lambda *inputs: torch.empty(0),
    "empty tuple": lambda *inputs: (),
    "broadcasts": lambda *inputs: torch.zeros(1, 1, 1),
    "writes into inputs": remembers_inputs(),
    "exit": lambda *inputs: exit(0),
    "callable object": Agreeable(),
}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_cheats_get_nothing(exercise, cheat):
    assert exercise.judge(cheat).kind in ("failed", "error")


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_an_answer_learnt_by_heart_from_one_case_gets_nothing(exercise):
    first = exercise.reference(*exercise.cases[0].copies())
    assert exercise.judge(lambda *inputs: first).kind == "failed"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_right_shape_filled_with_nan_is_never_close(exercise):
    def nan(*inputs):
        right = exercise.reference(*inputs)
        if isinstance(right, float):
            return right * torch.nan
        return (
            tuple(r * torch.nan for r in right) if isinstance(right, tuple) else right * torch.nan
        )

    assert exercise.judge(nan).kind == "failed"
