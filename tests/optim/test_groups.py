import pytest
import torch
from torch import nn

from course_lib.config import BertConfig, GPTConfig, TrainConfig
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.optim.adamw import AdamW
from course_lib.optim.groups import build_adamw, build_optimizer

CONFIG = TrainConfig(total_steps=10, lr=0.02, min_lr=0.0, betas=(0.8, 0.9), weight_decay=0.3)


def test_matrices_decay_and_vectors_do_not():
    model = GPT(GPTConfig(vocab_size=11, max_seq_len=5, d_model=8, n_layers=2, n_heads=2))
    decay, no_decay = build_adamw(model, CONFIG).param_groups
    assert (decay["weight_decay"], no_decay["weight_decay"]) == (0.3, 0.0)
    assert all(p.ndim == 2 for p in decay["params"])
    assert all(p.ndim == 1 for p in no_decay["params"])
    counted = sum(p.numel() for group in (decay, no_decay) for p in group["params"])
    assert counted == sum(p.numel() for p in model.parameters())
    assert any(p is model.tokens.weight for p in decay["params"])


def test_one_update_by_hand():
    model = nn.Linear(1, 1)
    with torch.no_grad():
        model.weight.fill_(2.0)
        model.bias.fill_(2.0)
    optimizer = build_adamw(model, CONFIG)
    for p in model.parameters():
        p.grad = torch.full_like(p, -5.0)
    optimizer.step()
    # The first update of Adam has length lr whatever the gradient; decay comes on top.
    assert model.bias.item() == pytest.approx(2.0 + 0.02, rel=1e-6)
    assert model.weight.item() == pytest.approx(2.0 * (1 - 0.02 * 0.3) + 0.02, rel=1e-6)


def test_frozen_parameters_are_left_out():
    model = nn.Linear(3, 2)
    model.bias.requires_grad_(False)
    (only,) = build_adamw(model, CONFIG).param_groups
    assert only["params"] == [model.weight]
    model.weight.requires_grad_(False)
    with pytest.raises(ValueError, match="model must have at least one trainable parameter"):
        build_adamw(model, CONFIG)


def test_betas_may_be_whole_numbers():
    config = TrainConfig(total_steps=30, betas=(0, 0))
    optimizer = build_adamw(torch.nn.Linear(2, 2), config)  # torch itself refuses a pair of ints
    assert optimizer.param_groups[0]["betas"] == (0.0, 0.0)


def test_our_update_would_train_the_same():
    """The training loop uses torch's fused update; ours gives the same weights."""
    models = [nn.Linear(3, 4).double() for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    theirs = build_adamw(models[0], CONFIG)
    groups = build_adamw(models[1], CONFIG).param_groups
    ours = AdamW([{k: g[k] for k in ("params", "lr", "betas", "eps", "weight_decay")}
                  for g in groups])  # fmt: skip
    draws = torch.Generator().manual_seed(3)
    for _ in range(100):
        for p, q in zip(models[0].parameters(), models[1].parameters(), strict=True):
            p.grad = q.grad = torch.randn(p.shape, generator=draws, dtype=torch.float64)
        theirs.step()
        ours.step()
    for p, q in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("tied", [True, False])
def test_muon_takes_the_matrices_of_the_blocks_and_adamw_the_rest(tied):
    shape = GPTConfig(11, 5, d_model=8, n_layers=2, n_heads=2, tie_embeddings=tied)
    model, config = GPT(shape), TrainConfig(10, optimizer="muon by head", lr=0.02, weight_decay=0.3)
    groups = build_optimizer(model, config).param_groups
    whole, by_head, decay, no_decay = groups
    names = {id(p): name for name, p in model.named_parameters()}
    for group, layers in ((whole, ("attn.out_proj", "ffn.widen", "ffn.narrow")),
                          (by_head, ("attn.q_proj", "attn.k_proj", "attn.v_proj"))):  # fmt: skip
        assert sorted(names[id(p)] for p in group["params"]) == sorted(
            f"blocks.{i}.{layer}.weight" for i in range(2) for layer in layers
        )
    assert (whole["n_parts"], by_head["n_parts"]) == (1, 2)
    tables = ["tokens.weight", "positions.weight"] + ([] if tied else ["lm_head.weight"])
    assert sorted(names[id(p)] for p in decay["params"]) == sorted(tables)
    assert all(p.ndim == 1 for p in no_decay["params"])
    assert [g["weight_decay"] for g in groups] == [0.3, 0.3, 0.3, 0.0]
    assert sum(len(g["params"]) for g in groups) == len(names)
    assert {g["lr"] for g in groups} == {0.02}


def test_heads_that_share_keys_are_counted_as_they_are():
    attention = MultiHeadAttention(12, 6, n_kv_heads=2)
    groups = build_optimizer(nn.ModuleList([attention]), TrainConfig(10, optimizer="muon by head"))
    parts = {id(p): group.get("n_parts") for group in groups.param_groups for p in group["params"]}
    layers = attention.q_proj, attention.k_proj, attention.v_proj, attention.out_proj
    assert [parts[id(layer.weight)] for layer in layers] == [6, 2, 2, 1]


def test_muon_for_bert_leaves_its_heads_to_adamw():
    model = BertPretraining(BertConfig(11, 5, d_model=8, n_layers=2, n_heads=2))
    groups = build_optimizer(model, TrainConfig(10, optimizer="muon")).param_groups
    hidden = [p for group in groups if "n_parts" in group for p in group["params"]]
    assert len(hidden) == 2 * 6 and all(p.ndim == 2 for p in hidden)
    assert [group["n_parts"] for group in groups if "n_parts" in group] == [1]
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))


def test_muon_needs_blocks():
    with pytest.raises(ValueError, match="model must have linear layers in a ModuleList.*got none"):
        build_optimizer(nn.Linear(3, 2), TrainConfig(10, optimizer="muon"))


def test_frozen_matrices_are_left_to_nobody():
    model = GPT(GPTConfig(11, 5, d_model=8, n_layers=2, n_heads=2))
    frozen = model.blocks[0].attn.q_proj.weight.requires_grad_(False)
    groups = build_optimizer(model, TrainConfig(10, optimizer="muon")).param_groups
    assert all(p is not frozen for group in groups for p in group["params"])


def test_the_optimizer_that_is_asked_for():
    assert isinstance(build_optimizer(nn.Linear(3, 2), CONFIG), torch.optim.AdamW)
