import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.config import BertConfig
from course_lib.models.heads import MaskedTokenHead, NextSentenceHead, Pooler

CONFIG = BertConfig(vocab_size=13, max_seq_len=11, d_model=12, n_layers=2, n_heads=3, norm_eps=0.1)


def test_the_pooler_reads_the_first_position_alone():
    pooler, x = Pooler(12), torch.randn(5, 7, 12)
    wanted = torch.tanh(functional.linear(x[:, 0], pooler.dense.weight, pooler.dense.bias))
    torch.testing.assert_close(pooler(x), wanted)
    x[:, 1:] = torch.randn(5, 6, 12)
    torch.testing.assert_close(pooler(x), wanted)


def test_the_pooler_reads_the_first_real_position():
    pooler, x = Pooler(12), torch.randn(3, 4, 12)
    real = torch.tensor([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1]]).bool()
    torch.testing.assert_close(
        pooler(x, real), pooler(x[torch.arange(3), torch.tensor([0, 2, 1])][:, None])
    )


def test_the_masked_token_head_is_dense_gelu_norm_and_the_table():
    table = nn.Embedding(13, 12)
    head, x = MaskedTokenHead(CONFIG, table).double(), torch.randn(5, 7, 12).double()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.add_(torch.randn_like(parameter))
    hidden = functional.gelu(head.dense(x))  # torch's own: the exact form
    hidden = functional.layer_norm(hidden, (12,), head.norm.weight, head.norm.bias, eps=0.1)
    wanted = hidden @ table.weight.T + head.decoder.bias
    torch.testing.assert_close(head(x), wanted)
    torch.testing.assert_close(head(x[2, 3]), wanted[2, 3])


def test_the_decoder_is_the_table_and_learns_from_both_sides():
    table = nn.Embedding(13, 12)
    head = MaskedTokenHead(CONFIG, table)
    assert head.decoder.weight is table.weight
    assert (head.decoder.bias == 0).all()
    head(table(torch.tensor([[4]]))).sum().backward()
    assert table.weight.grad.abs().sum(1).gt(0).all()  # as output; row 4 as input too


def test_the_next_sentence_head_has_two_answers():
    head, pooled = NextSentenceHead(12), torch.randn(5, 12)
    wanted = functional.linear(pooled, head.dense.weight, head.dense.bias)
    assert wanted.shape == (5, 2)
    torch.testing.assert_close(head(pooled), wanted)


def test_a_table_of_another_size_is_named():
    with pytest.raises(
        ValueError, match=r"tokens must be a table of shape \(13, 12\), got \(12, 13\)"
    ):
        MaskedTokenHead(CONFIG, nn.Embedding(12, 13))


X = torch.zeros(2, 3, 12)


@pytest.mark.parametrize(
    ("x", "real", "error", "message"),
    [
        (X[0], None, ValueError, r"x must have shape \(batch, seq, d_model=12\), got \(3, 12\)"),
        (X[:, :0], None, ValueError, "x must have shape"),
        (X[..., :5], None, ValueError, "x must be 12 wide"),
        (X.long(), None, TypeError, "x must hold floating-point numbers"),
        (X, torch.ones(2, 4).bool(), ValueError, r"real must hold .* shape \(2, 3\), got \(2, 4\)"),
        (X, torch.zeros(2, 3).bool(), ValueError, "real must mark at least one token"),
        (X, torch.ones(2).bool(), ValueError, r"real must have shape \(batch, seq\)"),
    ],
)
def test_bad_input_to_the_pooler_is_named(x, real, error, message, unchecked):
    with pytest.raises(error, match=message):
        Pooler(12)(x, real)


def test_bad_input_to_the_other_heads_is_named(unchecked):
    with pytest.raises(ValueError, match=r"x must be 12 wide, got shape \(2, 3, 5\)"):
        MaskedTokenHead(CONFIG, nn.Embedding(13, 12))(X[..., :5])
    with pytest.raises(ValueError, match=r"pooled must be 12 wide, got shape \(2, 5\)"):
        NextSentenceHead(12)(X[:, 0, :5])
