"""A published BERT of unequal sizes with random weights, and its sizes in our names."""

import torch
from transformers import BertConfig as TheirConfig
from transformers import BertForPreTraining

from course_lib.config import BertConfig

SIZES = BertConfig(
    vocab_size=37, max_seq_len=11, d_model=24, n_layers=3, n_heads=6, d_ff=20, n_segments=5
)


def published_bert():
    """`BertForPreTraining` in float64, without dropout.

    Without a padding id either: with one, their table would keep that row's gradient to itself,
    which the mask makes needless.
    """
    config = TheirConfig(
        vocab_size=37, max_position_embeddings=11, hidden_size=24, num_hidden_layers=3,
        num_attention_heads=6, intermediate_size=20, type_vocab_size=5,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0, pad_token_id=None,
    )  # fmt: skip
    model = BertForPreTraining(config).double()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and gains off their special start,
            parameter.add_(0.3 * torch.randn_like(parameter))  # and attention off its even one
    return model
