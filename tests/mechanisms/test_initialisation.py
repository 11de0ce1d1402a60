import math

import pytest

from course_lib.config import GPTConfig
from course_lib.models.gpt import GPT


@pytest.fixture(scope="module")
def model():
    return GPT(GPTConfig(vocab_size=400, max_seq_len=100, d_model=96, n_layers=8, n_heads=4))


def test_matrices_have_the_stated_spread(model):
    # Each holds over 9,000 draws, so the measured spread is within 0.8% (one standard error).
    for matrix in (model.tokens, model.positions, model.blocks[5].attn.k_proj):
        assert matrix.weight.std().item() == pytest.approx(0.02, rel=0.035)


def test_matrices_that_write_to_the_stream_are_smaller(model):
    for matrix in (model.blocks[2].attn.out_proj, model.blocks[7].ffn.narrow):
        assert matrix.weight.std().item() == pytest.approx(0.02 / math.sqrt(16), rel=0.035)


def test_biases_start_at_zero_and_norms_at_one(model):
    biases = {n: p for n, p in model.named_parameters() if n.endswith("bias")}
    assert all((p == 0).all() for p in biases.values())
    assert (model.blocks[3].norm_2.weight == 1).all()


def test_the_output_layer_is_the_token_table(model):
    assert model.lm_head.weight is model.tokens.weight
