import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.whole_texts import whole_texts
from course_lib.mechanisms.losses import IGNORE

END = 9
some_texts = st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=7), min_size=1, max_size=6)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@given(some_texts)
def test_every_text_is_there_from_its_first_token_to_its_end(texts):
    rows = whole_texts(texts, END)
    assert len(rows) == len(texts)
    assert rows.n_scored == sum(len(text) + 1 for text in texts)
    for text, inputs, targets in zip(texts, rows.inputs, rows.targets, strict=True):
        n = len(text) + 1
        assert inputs[:n].tolist() == [END, *text]
        assert targets[:n].tolist() == [*text, END]
        assert (inputs[n:] == END).all()
        assert (targets[n:] == IGNORE).all()


@given(some_texts, st.integers(1, 5), st.integers(0, 100))
def test_a_batch_holds_whole_texts_and_is_no_wider_than_needed(texts, batch_size, seed):
    inputs, targets = whole_texts(texts, END).draw(batch_size, seeded(seed))
    assert inputs.shape == targets.shape
    assert len(inputs) == batch_size
    scored = targets != IGNORE
    assert scored[:, -1].any()
    for row, wanted, real in zip(inputs, targets, scored, strict=True):
        found = row[real].tolist()
        assert found[0] == END
        assert found[1:] in texts
        assert wanted[real].tolist() == [*found[1:], END]


def test_every_text_is_drawn():
    rows = whole_texts([[1], [2], [3]], END)
    drawn, _ = rows.draw(200, seeded())
    assert set(drawn[:, 1].tolist()) == {1, 2, 3}


def test_spread_is_even_and_the_same_each_time():
    rows = whole_texts([[i] for i in range(8)], END)
    assert rows.spread(4)[0][:, 1].tolist() == [0, 2, 4, 6]
    assert len(rows.spread(50)[0]) == 8


@pytest.mark.parametrize(
    ("texts", "message"),
    [([], "at least one text"), ([[1], []], r"texts\[1\] must not be empty"),
     ([[1], [2, END]], r"texts\[1\] must not hold the boundary's id 9")],
)  # fmt: skip
def test_bad_texts_are_named(texts, message):
    with pytest.raises(ValueError, match=message):
        whole_texts(texts, END)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ([1.5], r"texts\[0\] must hold whole numbers, got \[1.5\]"),
        ([True], r"texts\[0\] must hold whole numbers, got \[True\]"),
        ([[1]], r"texts\[0\] must hold whole numbers"),
        ([1, IGNORE], rf"texts\[0\] must hold ids >= 0, got {IGNORE}"),
    ],
)
def test_what_is_no_id_is_named(text, message, unchecked):
    with pytest.raises((TypeError, ValueError), match=message):
        whole_texts([text], END)


@pytest.mark.parametrize("n", [0, -1, True, 2.5])
def test_the_number_of_rows_is_whole(n, unchecked):
    rows = whole_texts([[1], [2, 3]], END)
    with pytest.raises((TypeError, ValueError), match="batch_size must be a whole number"):
        rows.draw(n, seeded())
    with pytest.raises((TypeError, ValueError), match="n_texts must be a whole number"):
        rows.spread(n)
