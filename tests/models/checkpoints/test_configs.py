"""Published configurations in our words."""

import pytest
from transformers import BertConfig as TheirBert
from transformers import GPT2Config

from course_lib.config import BERT_SIZES, GPT2_SIZES, BertConfig, GPTConfig
from course_lib.models.checkpoints.configs import config_from, gpt2_config_json


def test_the_published_defaults_are_ours():
    assert config_from(GPT2Config().to_dict()) == GPT2_SIZES["gpt2"]
    assert config_from(TheirBert().to_dict()) == BERT_SIZES["bert-base"]


def test_every_field_arrives():
    theirs = GPT2Config(vocab_size=37, n_positions=11, n_embd=12, n_layer=3, n_head=4, n_inner=20,
                        resid_pdrop=0.3, layer_norm_epsilon=1e-6, initializer_range=0.1,
                        tie_word_embeddings=False)  # fmt: skip
    assert config_from(theirs.to_dict()) == GPTConfig(
        37, 11, 12, 3, 4, d_ff=20, dropout=0.3, norm_eps=1e-6, init_std=0.1, tie_embeddings=False
    )
    theirs = TheirBert(vocab_size=37, max_position_embeddings=11, hidden_size=12,
                       num_hidden_layers=3, num_attention_heads=4, intermediate_size=20,
                       type_vocab_size=5, hidden_dropout_prob=0.3, layer_norm_eps=1e-6,
                       initializer_range=0.1)  # fmt: skip
    assert config_from(theirs.to_dict()) == BertConfig(
        37, 11, 12, 3, 4, d_ff=20, n_segments=5, dropout=0.3, norm_eps=1e-6, init_std=0.1
    )


def test_there_and_back():
    config = GPTConfig(37, 11, 12, 3, 4, d_ff=20, dropout=0.3, norm_eps=1e-6, tie_embeddings=False)
    assert config_from(gpt2_config_json(config)) == config
    with pytest.raises(ValueError, match=r"d_head \* n_heads = d_model.* got 5 \* 4 and 12"):
        gpt2_config_json(GPTConfig(37, 11, 12, 3, 4, d_head=5))


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ({"model_type": "llama"}, "model_type 'gpt2' or 'bert', got 'llama'"),
        ({}, "got None"),
        ([], "got None"),
        ({"model_type": "gpt2", "n_embd": 3}, "say vocab_size, n_positions, n_layer, n_head$"),
        (GPT2Config(activation_function="relu", scale_attn_weights=False).to_dict(),
         "what this gpt2 does, got activation_function='relu', scale_attn_weights=False"),
        (TheirBert(hidden_act="gelu_new").to_dict(), "this bert does, got hidden_act='gelu_new'"),
    ],
)  # fmt: skip
def test_what_ours_cannot_be_is_named(published, message, as_shipped):
    with pytest.raises(ValueError, match=message):
        as_shipped(config_from)(published)
