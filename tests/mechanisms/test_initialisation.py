import math

import pytest
import torch
import transformers

from course_lib.config import BertConfig, GPTConfig
from course_lib.mechanisms.blocks import PostNormBlock
from course_lib.mechanisms.initialisation import initialise_bert
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


def test_bert_s_matrices_are_cut_off_at_two_deviations_and_alike_at_every_depth():
    block = PostNormBlock(BertConfig(9, 5, d_model=96, n_layers=8, n_heads=4))
    with torch.no_grad():
        block.attn.q_proj.bias.fill_(1.0)
    initialise_bert(block, 0.02)
    # A normal distribution cut off at 2 has a standard deviation of 0.8796.
    for matrix in (block.attn.out_proj, block.attn.q_proj, block.ffn.narrow):
        assert matrix.weight.std().item() == pytest.approx(0.8796 * 0.02, rel=0.035)
        assert matrix.weight.abs().max() <= 0.04
        assert (matrix.bias == 0).all()
    assert (block.norm_1.weight == 1).all()


def test_gpt_s_spreads_are_those_of_the_published_implementation():
    config = transformers.GPT2Config(
        vocab_size=400, n_positions=100, n_embd=96, n_layer=8, n_head=4
    )
    torch.manual_seed(0)
    theirs = transformers.GPT2Model(config).h[5]
    torch.manual_seed(0)
    ours = GPT(GPTConfig(400, 100, d_model=96, n_layers=8, n_heads=4)).blocks[5]
    pairs = [
        (ours.attn.q_proj, theirs.attn.c_attn),
        (ours.attn.out_proj, theirs.attn.c_proj),
        (ours.ffn.widen, theirs.mlp.c_fc),
        (ours.ffn.narrow, theirs.mlp.c_proj),
    ]
    for mine, published in pairs:
        wanted = published.weight.std().item()
        assert mine.weight.std().item() == pytest.approx(wanted, rel=0.035)
    assert theirs.mlp.c_proj.weight.std().item() == pytest.approx(0.02 / math.sqrt(16), rel=0.03)
