import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.windows import (
    consecutive_windows,
    random_windows,
    require_text,
    windows_scored_once,
)
from course_lib.mechanisms.losses import IGNORE


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_targets_are_the_next_tokens(dtype):
    ids = torch.arange(50).to(dtype)
    inputs, targets = random_windows(ids, 7, 5, seeded())
    assert inputs.shape == targets.shape == (5, 7)
    assert inputs.dtype == targets.dtype == torch.int64
    assert torch.equal(targets, inputs + 1)


def test_same_generator_state_same_windows():
    ids = torch.arange(1000)
    first, again, other = (random_windows(ids, 4, 6, seeded(s))[0] for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_every_start_occurs_also_the_last():
    ids = torch.arange(6)
    inputs, targets = random_windows(ids, 3, 400, seeded())
    assert set(inputs[:, 0].tolist()) == {0, 1, 2}
    assert targets.max() == 5


def test_exactly_one_window_fits():
    inputs, targets = random_windows(torch.arange(5), 4, 2, seeded())
    assert inputs.tolist() == [[0, 1, 2, 3]] * 2
    assert targets.tolist() == [[1, 2, 3, 4]] * 2


@given(length=st.integers(2, 60), seq_len=st.integers(1, 20))
def test_consecutive_windows_score_each_token_once(length, seq_len):
    if length < seq_len + 1:
        return
    inputs, targets = consecutive_windows(torch.arange(length), seq_len)
    n_windows = (length - 1) // seq_len
    assert inputs.flatten().tolist() == list(range(n_windows * seq_len))
    assert targets.flatten().tolist() == list(range(1, n_windows * seq_len + 1))


def test_stride():
    inputs, targets = consecutive_windows(torch.arange(10), 4, stride=3)
    assert inputs[:, 0].tolist() == [0, 3]
    assert targets[-1].tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize("cut", [consecutive_windows, random_windows])
@pytest.mark.parametrize(
    ("ids", "seq_len", "error", "message"),
    [
        (
            torch.tensor([], dtype=torch.int64),
            3,
            ValueError,
            "at least .* got 0: the text is empty",
        ),
        (torch.arange(3), 3, ValueError, r"ids must hold at least seq_len \+ 1 = 4 ids, got 3"),
        (torch.zeros(9), 3, TypeError, "ids must hold whole numbers, got torch.float32"),
        (torch.zeros(9, dtype=torch.bool), 3, TypeError, "whole numbers, got torch.bool"),
        (torch.zeros(3, 9, dtype=torch.int64), 3, ValueError, r"one axis, got shape \(3, 9\)"),
        (torch.arange(9), 0, ValueError, "seq_len must be >= 1, got 0"),
    ],
)
def test_bad_text_is_named(cut, ids, seq_len, error, message):
    more = (2, seeded()) if cut is random_windows else ()
    with pytest.raises(error, match=message):
        cut(ids, seq_len, *more)


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="batch_size must be >= 1, got 0"):
        random_windows(torch.arange(9), 3, 0, seeded())
    with pytest.raises(ValueError, match="stride must be >= 1, got 0"):
        consecutive_windows(torch.arange(9), 3, stride=0)


def test_a_list_is_no_text(as_shipped):
    with pytest.raises(TypeError, match="ids must be a tensor of ids .* got list"):
        as_shipped(require_text)([1, 2, 3], 1)


@pytest.mark.parametrize("stride", [1, 2, 5, 7])
def test_each_byte_is_scored_once_and_with_enough_before_it(stride):
    ids = torch.arange(40)
    inputs, targets = windows_scored_once(ids, 7, stride)
    scored = targets[targets != IGNORE]
    assert sorted(scored.tolist()) == list(range(1, 40))
    where = (targets != IGNORE).nonzero()
    seen = [int(position) + 1 for window, position in where if window > 0]
    assert min(seen) >= 7 - stride + 1
    assert torch.equal(inputs[:, 1:], inputs[:, :-1] + 1)


@pytest.mark.parametrize("length", [2, 3, 7, 8, 9])
def test_a_text_about_as_long_as_a_window_is_scored_to_its_end(length):
    ids = torch.arange(length)
    _, targets = windows_scored_once(ids, 7)
    assert sorted(targets[targets != IGNORE].tolist()) == list(range(1, length))


def test_windows_scored_once_name_what_is_wrong():
    with pytest.raises(ValueError, match="text must hold at least 2 tokens, got 1"):
        windows_scored_once(torch.arange(1), 7)
    with pytest.raises(ValueError, match=r"stride must lie in \[1, 5\], got 6"):
        windows_scored_once(torch.arange(9), 5, stride=6)
