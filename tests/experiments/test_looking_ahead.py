import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.experiments.looking_ahead import influence, logits_under, total_probability
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.gpt import GPT


@pytest.fixture
def model():
    torch.manual_seed(0)
    shape = GPTConfig(vocab_size=4, max_seq_len=5, d_model=6, n_layers=2, n_heads=2, init_std=0.8)
    return GPT(shape).double()


def test_the_causal_mask_gives_the_model_itself(model):
    ids = torch.tensor([[0, 3, 1, 2, 2], [1, 1, 0, 3, 0]])
    assert torch.equal(logits_under(model, ids, causal_mask(5)), model(ids))
    assert not torch.allclose(logits_under(model, ids, None), model(ids))


def test_influence_is_a_lower_triangle(model):
    ids = torch.tensor([0, 3, 1, 2])
    found = influence(model, ids, causal_mask(4), torch.Generator().manual_seed(1))
    assert found.shape == (4, 4)
    assert torch.equal(found.triu(1), torch.zeros(4, 4, dtype=found.dtype))
    assert (found.tril()[torch.ones(4, 4).tril().bool()] > 0).all()
    open_eyes = influence(model, ids, None, torch.Generator().manual_seed(1))
    assert (open_eyes > 0).all()


def test_influence_agrees_with_moving_an_input(model):
    ids, generator = torch.tensor([0, 3, 1]), torch.Generator().manual_seed(1)
    found = influence(model, ids, causal_mask(3), generator)
    probe = torch.randn(6, generator=torch.Generator().manual_seed(1)).double()
    x = model.embed(ids[None]).detach()
    changes = torch.zeros(6, dtype=torch.float64)
    for feature in range(6):
        nudge = torch.zeros_like(x)
        nudge[0, 0, feature] = 1e-6
        ends = []
        for sign in (1, -1):
            y = x + sign * nudge
            for block in model.blocks:
                y = block(y, causal_mask(3))
            ends.append((model.final_norm(y)[0, 2] @ probe).item())
        changes[feature] = (ends[0] - ends[1]) / 2e-6
    assert found[2, 0].item() == pytest.approx(changes.norm().item(), rel=1e-5)


def test_probabilities_of_all_texts_add_up_to_one(model):
    assert total_probability(model, 3, causal_mask(3)) == pytest.approx(1, abs=1e-12)
    assert abs(total_probability(model, 3, None) - 1) > 0.01


def test_bad_input_is_named(as_shipped):
    model = GPT(GPTConfig(5, 4, d_model=8, n_layers=1, n_heads=2))
    with pytest.raises(ValueError, match=r"token_ids must have one axis, got shape \(1, 3\)"):
        as_shipped(influence)(model, torch.tensor([[0, 1, 2]]), None, torch.Generator())
    with pytest.raises(ValueError, match="length must be a whole number >= 1, got 0"):
        total_probability(model, 0, None)
