import pytest
import torch

from course_lib.mechanisms.embeddings import LearnedPositions, TokenEmbedding


def test_rows_are_looked_up():
    table = TokenEmbedding(5, 3)
    ids = torch.tensor([[4, 0], [1, 1], [2, 3]])
    assert torch.equal(table(ids), table.weight[ids])


def test_positions_are_the_first_rows():
    table = LearnedPositions(6, 3)
    assert torch.equal(table(4), table.weight[:4])


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([[0, 5]], ValueError, r"\[0, vocab_size=5\), got 5"),
        ([[-1, 2]], ValueError, "got -1"),
        ([[]], ValueError, "must not be empty"),
        ([0, 1], ValueError, r"token_ids must have shape \(batch, seq\), got \(2,\)"),
        ([[0.0, 1.0]], TypeError, "whole numbers"),
    ],
)
def test_bad_ids_are_named(ids, error, message, as_shipped):
    table = TokenEmbedding(5, 3)
    tensor = torch.tensor(ids, dtype=torch.float32 if error is TypeError else torch.int64)
    with pytest.raises(error, match=message):
        as_shipped(TokenEmbedding.forward)(table, tensor)


def test_the_position_table_ends():
    with pytest.raises(ValueError, match="at most max_seq_len=6 positions, got 7"):
        LearnedPositions(6, 3)(7)


@pytest.mark.parametrize("seq_len", [0, -1])
def test_too_few_positions_are_named(seq_len):
    with pytest.raises(ValueError, match=f"seq_len must be a whole number >= 1, got {seq_len}"):
        LearnedPositions(6, 3)(seq_len)
