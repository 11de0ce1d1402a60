import pytest
import torch
from torch.nn import functional

from course_lib.config import BertConfig
from course_lib.mechanisms.embeddings import InputEmbedding, TokenEmbedding


def test_rows_are_looked_up():
    table = TokenEmbedding(5, 3)
    ids = torch.tensor([[4, 0], [1, 1], [2, 3]])
    assert torch.equal(table(ids), table.weight[ids])


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


@pytest.fixture
def embedding():
    config = BertConfig(11, 7, d_model=6, n_layers=1, n_heads=2, n_segments=3, dropout=0.25)
    return InputEmbedding(config).double()


def test_input_is_the_normalised_sum_of_three_rows(embedding):
    embedding.eval()
    ids, segments = torch.tensor([[4, 0, 10], [1, 1, 9]]), torch.tensor([[0, 0, 2], [1, 2, 2]])
    total = (
        embedding.tokens.weight[ids]
        + embedding.positions.weight[:3]
        + embedding.segments.weight[segments]
    )
    expected = functional.layer_norm(total, (6,), eps=1e-12)
    torch.testing.assert_close(embedding(ids, segments), expected)
    places = torch.tensor([[0, 1, 2], [2, 0, 1]])
    moved = embedding(ids, segments, places)
    torch.testing.assert_close(moved[0], expected[0])
    assert not torch.allclose(moved[1], expected[1])


def test_without_segments_everything_is_the_first_sentence(embedding):
    embedding.eval()
    ids = torch.tensor([[4, 0, 10, 3]])
    assert torch.equal(embedding(ids), embedding(ids, torch.zeros_like(ids)))
    embedding(ids).square().sum().backward()
    assert embedding.segments.weight.grad[0].any() and not embedding.segments.weight.grad[1:].any()


def test_dropout_comes_last_and_in_training_only(embedding):
    ids = torch.randint(11, (40, 7))
    dropped = embedding(ids)
    share = (dropped == 0).double().mean().item()
    assert share == pytest.approx(0.25, abs=0.04)  # 1,680 draws: four standard errors
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], (embedding.eval()(ids) / 0.75)[kept])


def test_bad_segments_are_named(embedding, as_shipped):
    ids = torch.tensor([[4, 0, 10]])
    call = as_shipped(InputEmbedding.forward)
    with pytest.raises(ValueError, match=r"segment_ids must lie in \[0, n_segments=3\), got 3"):
        call(embedding, ids, torch.tensor([[0, 3, 0]]))
    with pytest.raises(ValueError, match="segment_ids must hold one entry for each token"):
        call(embedding, ids, torch.tensor([[0, 1]]))
    with pytest.raises(ValueError, match=r"position_ids must lie in \[0, max_seq_len=7\), got 7"):
        call(embedding, torch.zeros(1, 8, dtype=torch.int64))
