"""A name map read backwards and forwards gives the same numbers back."""

import pytest
import torch
from published_bert import SIZES

from course_lib.config import GPTConfig
from course_lib.models.bert import Bert, BertPretraining
from course_lib.models.checkpoints import as_gpt2, bert_names, gpt2_names, load_gpt2
from course_lib.models.checkpoints.names import Stored
from course_lib.models.gpt import GPT

SHAPE = dict(vocab_size=37, max_seq_len=11, d_model=12, n_layers=2, n_heads=4, d_head=5, d_ff=20)


def test_turned_and_joined_by_hand():
    parameters = {"a": torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "b": torch.ones(1, 2)}
    stored = Stored(("a", "b"), turned=True)
    packed = stored.pack(parameters)
    assert packed.tolist() == [[1, 3, 5, 1], [2, 4, 6, 1]]
    assert stored.shape(parameters) == (2, 4)
    unpacked = stored.unpack(packed, parameters)
    assert all(torch.equal(unpacked[name], parameters[name]) for name in parameters)


def test_what_is_packed_is_a_copy():
    parameters = {"a": torch.zeros(2, 3)}
    Stored(("a",)).pack(parameters).add_(1)
    assert parameters["a"].abs().max() == 0


@pytest.mark.parametrize("tied", [True, False])
def test_a_gpt_comes_back_from_its_own_checkpoint(tied):
    model, other = (GPT(GPTConfig(**SHAPE, tie_embeddings=tied)) for _ in range(2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    tensors = as_gpt2(model)
    assert ("lm_head.weight" in tensors) is not tied
    assert tensors["transformer.h.1.attn.c_attn.weight"].shape == (12, 3 * 4 * 5)
    load_gpt2(other, tensors)
    wanted = model.state_dict()
    assert all(torch.equal(t, wanted[name]) for name, t in other.state_dict().items())


def test_an_untied_model_takes_the_token_table_where_a_file_has_no_other():
    tied, untied = (GPT(GPTConfig(**SHAPE, tie_embeddings=t)) for t in (True, False))
    load_gpt2(untied, as_gpt2(tied))
    assert torch.equal(untied.lm_head.weight, tied.tokens.weight)
    assert untied.lm_head.weight is not untied.tokens.weight


@pytest.mark.parametrize("kind", [Bert, BertPretraining])
def test_every_parameter_has_one_place(kind):
    model = kind(SIZES)
    ours = [name for stored in bert_names(model).values() for name in stored.ours]
    assert sorted(ours) == sorted(name for name, _ in model.named_parameters())
    gpt = GPT(GPTConfig(**SHAPE, tie_embeddings=False))
    ours = [name for stored in gpt2_names(gpt.config).values() for name in stored.ours]
    assert sorted(ours) == sorted(name for name, _ in gpt.named_parameters())


@pytest.mark.parametrize(
    ("field", "value"),
    [("positions", "rotary"), ("norm", "rms"), ("activation", "relu squared"), ("biases", False),
     ("qk_norm", True), ("n_kv_heads", 2)],
)  # fmt: skip
def test_what_gpt2_has_not_is_named(field, value):
    config = GPTConfig(**{**SHAPE, "d_head": 4, field: value})
    with pytest.raises(ValueError, match=f"model must have {field}=.*, as GPT-2 has, got"):
        gpt2_names(config)


@pytest.mark.parametrize(("field", "value"), [("positions", "rotary"), ("qk_norm", True)])
def test_what_bert_has_not_is_named(field, value):
    config = type(SIZES)(**{**vars(SIZES), field: value})
    with pytest.raises(ValueError, match=f"model must have {field}=.*, as BERT has, got"):
        bert_names(Bert(config))
