import copy

import pytest
import tiny
import torch

from course_lib.models.gpt import GPT
from course_lib.training.devices import (
    InBFloat16,
    bf16_helps,
    choose_device,
    disagreement,
    require_agreement,
)
from course_lib.training.loop import train_on
from course_lib.training.tasks import NextToken, Task

TASK = NextToken(tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
CPU = torch.device("cpu")


@pytest.fixture
def has(monkeypatch):
    def set_(cuda, mps):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return set_


@pytest.mark.parametrize(("cuda", "mps", "chosen"), [
    (True, True, "cuda"), (True, False, "cuda"), (False, True, "cpu"), (False, False, "cpu"),
])  # fmt: skip
def test_a_card_is_taken_when_it_is_there_and_mps_only_when_asked_for(has, cuda, mps, chosen):
    has(cuda, mps)
    assert choose_device() == torch.device(chosen)
    if mps:
        assert choose_device("mps") == torch.device("mps")
    assert choose_device("cpu") == CPU


def test_a_device_that_is_not_there_is_named(has):
    has(False, True)
    with pytest.raises(ValueError, match=r"have \(cpu, mps\), got 'cuda'"):
        choose_device("cuda")
    with pytest.raises(ValueError, match="device must be one of cpu, cuda, mps, got 'gpu'"):
        choose_device("gpu")


def test_sixteen_bits_are_not_used_unasked_on_cpu_and_mps():
    assert not bf16_helps(CPU) and not bf16_helps(torch.device("mps"))


class Elsewhere(GPT):
    """A model that computes something else once it is moved."""

    def to(self, device):
        with torch.no_grad():
            self.break_()
        return self


def broken(how):
    torch.manual_seed(7)
    model = Elsewhere(tiny.SHAPE)
    Elsewhere.break_ = how
    return model


def test_the_same_computation_agrees_whatever_the_dropout():
    model = tiny.fresh().model
    before = copy.deepcopy(model.state_dict())
    require_agreement(model, TASK, CPU, 6)
    assert all(torch.equal(t, before[name]) for name, t in model.state_dict().items())
    assert model.training and all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize(("how", "said"), [
    (lambda m: m.lm_head.weight.mul_(3.0), "the loss 'next token' is"),
    (lambda m: m.final_norm.weight.fill_(float("nan")), "the loss 'next token' is nan instead of"),
    (lambda m: m.blocks[1].ffn.narrow.weight.register_hook(lambda g: 1.1 * g),
     "the gradient of blocks.1.ffn.narrow.weight, of length .*, is off by"),
    (lambda m: m.blocks[0].attn.q_proj.weight.register_hook(torch.zeros_like),
     "the gradient of blocks.0.attn.q_proj.weight"),
])  # fmt: skip
def test_a_wrong_result_is_named_with_the_way_out(how, said):
    with pytest.raises(ValueError, match=f"{said}.*--device cpu"):
        require_agreement(broken(how), TASK, CPU, 6)


def test_rounding_is_no_disagreement():
    torch.manual_seed(1)
    gradients = {"a": torch.randn(4, 5), "should be zero": 1e-9 * torch.randn(3)}
    rounded = {"a": gradients["a"] * (1 + 1e-5), "should be zero": torch.zeros(3)}
    assert disagreement(({"x": 2.0}, gradients), ({"x": 2.0001}, rounded)) == ""
    assert "the loss 'x'" in disagreement(({"x": 2.0}, gradients), ({"x": 2.01}, rounded))


def test_sixteen_bits_learn_about_the_same():
    assert isinstance(InBFloat16(TASK), Task)
    shape = tiny.GPTConfig(13, 6, d_model=16, n_layers=2, n_heads=2)
    runs = []
    for task in (TASK, InBFloat16(TASK)):
        state = tiny.fresh(12, shape, lr=0.01)
        runs.append([(r.train_loss, r.validation_loss) for r in train_on(state, task)])
        assert all(p.dtype == torch.float32 for p in state.model.parameters())
        assert not torch.is_autocast_enabled("cpu")
    (exact, exact_look), (rounded, rounded_look) = runs[0][-1], runs[1][-1]
    assert exact != rounded and exact_look != rounded_look
    assert rounded == pytest.approx(exact, abs=0.02)
    assert rounded_look == pytest.approx(exact_look, abs=0.02)
