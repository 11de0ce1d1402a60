"""Agreement with the published implementation, on a tiny model with random weights."""

import pytest
import torch
from torch.nn import functional
from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel

from course_lib.config import GPTConfig
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.checkpoints import load_gpt2
from course_lib.models.gpt import GPT

SIZES = GPTConfig(vocab_size=37, max_seq_len=11, d_model=12, n_layers=3, n_heads=4, d_ff=20)


@pytest.fixture
def published():
    config = GPT2Config(
        vocab_size=37, n_positions=11, n_embd=12, n_layer=3, n_head=4, n_inner=20,
        resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    model = GPT2LMHeadModel(config).double()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and gains off their special start
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model


@pytest.fixture
def ours(published):
    model = GPT(SIZES).double()
    load_gpt2(model, published.state_dict())
    return model


def _turned(tensor):
    return tensor.T if tensor.ndim == 2 else tensor


def test_logits_loss_and_gradients_agree(published, ours):
    ids = torch.randint(37, (2, 9))
    theirs, mine = published(ids).logits, ours(ids)
    torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-9)
    # Their built-in loss rounds to float32 first, so it is taken from their logits here.
    their_loss = functional.cross_entropy(theirs[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
    my_loss = cross_entropy(mine[:, :-1], ids[:, 1:])
    torch.testing.assert_close(my_loss, their_loss, rtol=0, atol=1e-9)
    their_loss.backward()
    my_loss.backward()
    gradients = GPT(SIZES).double()  # the same name map turns gradients into ours
    load_gpt2(gradients, {name: p.grad for name, p in published.named_parameters()})
    wanted = dict(gradients.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad.abs().max() > 0, name
        torch.testing.assert_close(parameter.grad, wanted[name], rtol=0, atol=1e-9, msg=name)


def test_greedy_generation_agrees(published, ours):
    ids = torch.randint(37, (1, 4))
    theirs = published.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=7, do_sample=False,
        eos_token_id=None, pad_token_id=0,
    )  # fmt: skip
    assert torch.equal(ours.generate(ids, 7, temperature=0), theirs)


def test_the_caches_hold_the_same_keys_and_values(published, ours):
    ids, cache = torch.randint(37, (2, 7)), ours.new_cache(2)
    theirs = DynamicCache(config=published.config)
    for part in (ids[:, :4], ids[:, 4:5], ids[:, 5:6], ids[:, 6:]):
        wanted = published(part, cache=theirs, use_cache=True).logits
        torch.testing.assert_close(ours(part, cache=cache), wanted, rtol=1e-10, atol=1e-10)
    for mine, layer in zip(cache.layers, theirs.layers, strict=True):
        torch.testing.assert_close(mine.keys, layer.keys, rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(mine.values, layer.values, rtol=1e-10, atol=1e-10)


def test_query_key_and_value_are_not_mixed_up(published):
    tensors = published.state_dict()
    name = "transformer.h.1.attn.c_attn.weight"
    tensors[name] = tensors[name].roll(12, dims=1)
    model = GPT(SIZES).double()
    load_gpt2(model, tensors)
    ids = torch.randint(37, (2, 9))
    assert (model(ids) - published(ids).logits).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: t.pop("transformer.h.2.mlp.c_fc.bias"), r"got 1 missing \(h.2.mlp.c_fc.bias\)$"),
        (lambda t: t.update({"transformer.h.3.ln_1.bias": torch.zeros(12)}),
         r"got 1 left over \(h.3.ln_1.bias\)$"),
        (lambda t: t.update({"lm_head.weight": torch.zeros(37, 12)}), "differs from wte.weight"),
        (lambda t: t.update({"transformer.h.0.attn.c_attn.bias": torch.zeros(2)}),
         r"h.0.attn.c_attn.bias needs \(36,\), got \(2,\)"),
        (lambda t: t.update({"transformer.wpe.weight": torch.zeros(5, 12)}),
         r"wpe.weight needs \(11, 12\), got \(5, 12\)"),
        (lambda t: t.update({"score.weight": torch.zeros(3, 12)}),
         r"got 1 left over \(score.weight\)$"),
    ],
)  # fmt: skip
def test_a_wrong_checkpoint_changes_nothing(published, spoil, message):
    tensors = dict(published.state_dict())
    spoil(tensors)
    model = GPT(SIZES).double()
    before = {name: p.clone() for name, p in model.named_parameters()}
    with pytest.raises(ValueError, match=message):
        load_gpt2(model, tensors)
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (torch.zeros(12, dtype=torch.long), "must hold floating-point numbers, got torch.int64"),
        (torch.zeros(12, device="meta"), "must hold numbers, got a meta tensor"),
        ([0.0] * 12, "must be a tensor, got list"),
    ],
)
def test_a_tensor_of_another_kind_changes_nothing(published, bad, message, as_shipped):
    tensors = {**published.state_dict(), "transformer.ln_f.bias": bad}
    model = GPT(SIZES).double()
    before = {name: p.clone() for name, p in model.named_parameters()}
    with pytest.raises(TypeError, match="ln_f.bias " + message):
        as_shipped(load_gpt2)(model, tensors)
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())


def test_the_masks_in_old_files_are_left_there(published, ours):
    masks = {
        f"transformer.h.{layer}.attn.{name}": torch.ones(11, 11).tril()
        for layer in range(3)
        for name in ("bias", "masked_bias")
    }
    model = GPT(SIZES).double()
    load_gpt2(model, {**published.state_dict(), **masks})
    wanted = ours.state_dict()
    assert all(torch.equal(t, wanted[name]) for name, t in model.state_dict().items())


def test_a_model_of_another_kind_is_named(published, unchecked):
    with pytest.raises(TypeError, match="model must be a GPT, got Linear"):
        load_gpt2(torch.nn.Linear(2, 3), published.state_dict())
    sizes = {"d_model": 12, "n_layers": 3, "n_heads": 2, "d_ff": 20}
    turning = GPT(GPTConfig(37, 11, **sizes, positions="rotary"))
    with pytest.raises(ValueError, match="have positions='learned', as GPT-2 has, got 'rotary'"):
        load_gpt2(turning, published.state_dict())
