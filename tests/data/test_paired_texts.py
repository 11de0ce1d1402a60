import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.data.paired_texts import PairedTexts, PairRows, paired_texts
from course_lib.tokenizers.bert_pair import EncodedPair

PAD = 0


def pair(n_first, n_second, fill):
    return EncodedPair((fill,) * (n_first + n_second), (0,) * n_first + (1,) * n_second)


def some(lengths):
    """One pair of each length; pair i is made of the id i + 1, and its label is i % 2."""
    inputs = [pair(2, n - 2, i + 1) for i, n in enumerate(lengths)]
    return paired_texts(inputs, [i % 2 for i in range(len(lengths))], PAD)


def test_rows_hold_the_pairs():
    texts = some([5, 3, 9])
    assert len(texts) == 3 and texts.n_tokens == 17
    assert texts.lengths.tolist() == [5, 3, 9]
    rows = texts.pick(torch.tensor([1, 0]))
    assert rows.token_ids.tolist() == [[2, 2, 2, 0, 0], [1, 1, 1, 1, 1]]
    assert rows.real.tolist() == [[True] * 3 + [False] * 2, [True] * 5]
    assert rows.segment_ids.tolist() == [[0, 0, 1, 0, 0], [0, 0, 1, 1, 1]]
    assert rows.labels.tolist() == [1, 0]


@settings(max_examples=40, deadline=None)
@given(lengths=st.lists(st.integers(3, 40), min_size=1, max_size=60), batch_size=st.integers(1, 9),
       seed=st.integers(0, 99))  # fmt: skip
def test_a_batch_is_whole_pairs_each_once(lengths, batch_size, seed):
    texts = some(lengths)
    rows = texts.draw(batch_size, torch.Generator().manual_seed(seed))
    assert isinstance(rows, PairRows)
    assert len(rows.labels) == min(batch_size, len(lengths))
    which = (rows.token_ids[:, 0] - 1).tolist()
    assert len(set(which)) == len(which)
    assert rows.real.sum(dim=-1).tolist() == [lengths[i] for i in which]
    assert rows.labels.tolist() == [i % 2 for i in which]
    assert rows.real.shape[-1] == max(lengths[i] for i in which)  # no column of padding alone
    assert torch.equal(rows.token_ids != PAD, rows.real)


def test_every_pair_is_equally_likely():
    texts, generator = some([3 + i % 7 for i in range(50)]), torch.Generator().manual_seed(0)
    counts = torch.zeros(50)
    for _ in range(4000):
        counts[texts.draw(2, generator).token_ids[:, 0] - 1] += 1
    assert (counts / 8000 - 1 / 50).abs().max() < 5 * (0.02 / 8000) ** 0.5


def test_batches_hold_little_padding():
    lengths = torch.randint(20, 90, (3000,), generator=torch.Generator().manual_seed(1)).tolist()
    texts, generator = some(lengths), torch.Generator().manual_seed(2)
    rows = [texts.draw(10, generator) for _ in range(200)]
    full = sum(int(r.real.sum()) for r in rows) / sum(r.real.numel() for r in rows)
    assert full > 0.9
    blind = [texts.pick(torch.randint(3000, (10,), generator=generator)) for _ in range(200)]
    assert sum(int(r.real.sum()) for r in blind) / sum(r.real.numel() for r in blind) < 0.75


def test_the_generator_alone_decides():
    texts = some(list(range(3, 60)))
    first, again, other = (
        texts.draw(4, torch.Generator().manual_seed(seed)).token_ids[:, 0].tolist()
        for seed in (5, 5, 6)
    )
    assert first == again != other


def test_spread_is_even_and_always_the_same():
    texts = some([3 + i for i in range(10)])
    assert (texts.spread(4).token_ids[:, 0] - 1).tolist() == [0, 2, 5, 7]
    assert len(texts.spread(99).labels) == 10


@pytest.mark.parametrize(
    ("inputs", "labels", "message"),
    [
        ([], [], "inputs must hold at least one input"),
        ([pair(2, 2, 1)], [0, 1], "labels must be 1, one for each input, got 2"),
        ([pair(2, 2, 1)] * 2, [0, 2], r"labels\[1\] must be 0 or 1, got 2"),
    ],
)
def test_bad_pairs_are_named(inputs, labels, message):
    with pytest.raises(ValueError, match=message):
        paired_texts(inputs, labels, PAD)


@pytest.mark.parametrize("n", [0, -1])
def test_no_batch_is_empty(n):
    texts: PairedTexts = some([4, 5])
    with pytest.raises(ValueError, match="batch_size must be"):
        texts.draw(n, torch.Generator())
    with pytest.raises(ValueError, match="n_texts must be"):
        texts.spread(n)
