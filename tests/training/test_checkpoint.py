import io

import pytest
import torch
from torch import nn

from course_lib.training.checkpoint import load_checkpoint, save_checkpoint
from course_lib.training.container import read_container, write_container


class Net(nn.Module):
    """Shared weights, a buffer, a frozen part, and matrices that are not square."""

    def __init__(self, width=5, tied=True, dtype=torch.float32):
        super().__init__()
        self.table = nn.Embedding(4, width, dtype=dtype)
        self.mix = nn.Linear(width, width, dtype=dtype)
        self.head = nn.Linear(width, 4, bias=False, dtype=dtype)
        self.register_buffer("count", torch.tensor(0))
        if tied:
            self.head.weight = self.table.weight
        self.mix.bias.requires_grad_(False)

    def forward(self, ids):
        return self.head(torch.tanh(self.mix(self.table(ids))))


def adamw(net, **changes):
    trainable = [p for p in net.parameters() if p.requires_grad]
    return torch.optim.AdamW(trainable, **{"lr": 0.01, "betas": (0.8, 0.9), **changes})


def trained(n_steps=3, make=adamw, **shape):
    torch.manual_seed(5)
    net = Net(**shape)
    optimizer = make(net)
    for _ in range(n_steps):
        step(net, optimizer)
    return net, optimizer


def step(net, optimizer):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(torch.tensor([0, 1, 3])), torch.tensor([1, 2, 0]))
    loss.backward()
    optimizer.step()
    net.count += 1
    return loss.item()


def saved(net, optimizer, number=3):
    buffer = io.BytesIO()
    save_checkpoint(net, optimizer, number, buffer)
    buffer.seek(0)
    return buffer


def flat(net, optimizer):
    numbers = [t.clone() for t in net.state_dict().values()]
    for values in optimizer.state.values():
        numbers += [torch.as_tensor(v).clone() for v in values.values()]
    return numbers


def assert_untouched(before, net, optimizer):
    after = flat(net, optimizer)
    assert len(after) == len(before)
    assert all(torch.equal(a, b) for a, b in zip(after, before, strict=True))


MAKERS = {
    "adamw": adamw,
    "fused": lambda net: adamw(net, fused=True),
    "amsgrad": lambda net: adamw(net, amsgrad=True),
    "sgd": lambda net: torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
    "adagrad": lambda net: torch.optim.Adagrad(net.parameters(), lr=0.1),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_any_model_and_optimiser_go_on_to_the_last_bit(make):
    net, optimizer = trained(make=make)
    file = saved(net, optimizer, 17)
    expected = [step(net, optimizer) for _ in range(4)]
    torch.manual_seed(99)
    other = Net()
    other_optimizer = make(other)
    assert load_checkpoint(file, other, other_optimizer) == 17
    assert other.head.weight is other.table.weight
    assert [step(other, other_optimizer) for _ in range(4)] == expected
    assert other.count == 7
    first, second = (o.state_dict() for o in (optimizer, other_optimizer))
    assert first["param_groups"] == second["param_groups"]
    assert isinstance(second["param_groups"][0].get("betas", ()), tuple)


def test_an_optimiser_that_has_not_stepped_yet():
    net, optimizer = trained(0)
    other, other_optimizer = trained(2)
    load_checkpoint(saved(net, optimizer, 0), other, other_optimizer)
    assert other_optimizer.state_dict()["state"] == {}
    assert step(other, other_optimizer) == step(net, optimizer)


def test_shared_weights_are_stored_once():
    tensors, _ = read_container(saved(*trained()))
    assert {n for n in tensors if n.startswith("model.")} == {
        "model.table.weight", "model.mix.weight", "model.mix.bias", "model.count"
    }  # fmt: skip


def test_saving_changes_nothing():
    net, optimizer = trained()
    before = flat(net, optimizer)
    saved(net, optimizer)
    assert_untouched(before, net, optimizer)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"width": 6}, r"model.table.weight must have shape \(4, 6\) .* has \(4, 5\)"),
        ({"tied": False}, "does not fit the model: .* they differ in .*'head.weight'"),
        ({"dtype": torch.float64}, "model.table.weight must be torch.float64 .* torch.float32"),
    ],
)
def test_another_model_is_left_alone(shape, message):
    file = saved(*trained())
    net, optimizer = trained(1, **shape)
    before = flat(net, optimizer)
    with pytest.raises(ValueError, match=message):
        load_checkpoint(file, net, optimizer)
    assert_untouched(before, net, optimizer)


def test_other_groups_are_refused():
    file = saved(*trained())
    net, _ = trained(0)
    groups = [{"params": [net.table.weight]}, {"params": [net.mix.weight]}]
    with pytest.raises(ValueError, match="the same ones, grouped otherwise"):
        load_checkpoint(file, net, torch.optim.AdamW(groups))


def test_an_optimiser_of_another_model_is_refused():
    net, _ = trained()
    _, stranger = trained()
    with pytest.raises(ValueError, match="optimizer must train the model's own parameters"):
        save_checkpoint(net, stranger, 1, io.BytesIO())


def test_every_tensor_is_needed_and_fits():
    tensors, notes = read_container(saved(*trained()))
    net, optimizer = trained(1)
    before = flat(net, optimizer)

    def refuse(changed, message, notes=notes):
        buffer = io.BytesIO()
        write_container(buffer, changed, notes)
        buffer.seek(0)
        with pytest.raises(ValueError, match=message):
            load_checkpoint(buffer, net, optimizer)
        assert_untouched(before, net, optimizer)

    for name in tensors:
        refuse({k: v for k, v in tensors.items() if k != name}, f"lacks 1 .* first '{name}'")
        if tensors[name].ndim:
            refuse({**tensors, name: tensors[name][:1].clone()}, f"{name} must have shape")
    refuse({**tensors, "more": torch.zeros(2)}, "has 1 tensors too many, first 'more'")
    for key in ("step", "optimizer"):
        less = {k: v for k, v in notes.items() if k != key}
        refuse(tensors, f"damaged: its notes lack .*'{key}'", less)
    groups = notes["optimizer"]["groups"]
    refuse(tensors, "damaged: its notes lack", {**notes, "optimizer": {"groups": groups}})
    for step in ("3", None, -3, 2.0):
        refuse(tensors, "damaged: step must be a whole number", {**notes, "step": step})
