import pytest
import torch
from torch import nn

from course_lib.config import GPTConfig, TrainConfig
from course_lib.models.gpt import GPT
from course_lib.optim.adamw import AdamW
from course_lib.optim.groups import build_adamw

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
