import copy
import json
import math

import pytest
import torch
from torch import nn

from course_lib.optim.loss_scaling import LossScaler, MasterWeights


def network(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


def batches(n, bad=()):
    generator = torch.Generator().manual_seed(1)
    for step in range(n):
        x = torch.randn(7, 3, generator=generator)
        yield x * (math.inf if step in bad else 1.0), torch.randn(7, 2, generator=generator)


def test_factor_and_weights_are_those_of_torchs_grad_scaler():
    ours, theirs = network(), network()
    settings = {"growth": 2.0, "backoff": 0.5, "interval": 3}
    scaler = LossScaler(2.0**10, **settings)
    oracle = torch.amp.GradScaler(
        "cpu", 2.0**10, growth_factor=2.0, backoff_factor=0.5, growth_interval=3
    )
    mine, torchs = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (ours, theirs))
    for x, y in batches(25, bad=(4, 5, 11)):
        mine.zero_grad()
        scaler.up((ours(x) - y).square().mean()).backward()
        finite = scaler.down(ours.parameters())
        if finite:
            mine.step()
        scaler.update(finite)
        torchs.zero_grad()
        oracle.scale((theirs(x) - y).square().mean()).backward()
        oracle.step(torchs)
        oracle.update()
        assert scaler.scale == oracle.get_scale()
    assert scaler.n_skipped == 3
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-7)


def test_half_precision_model_with_masters_agrees_with_torchs_autocast():
    """Both keep fp32 weights, and multiply in bf16; biases and sums differ by a rounding."""
    plain = network()
    half = copy.deepcopy(plain).bfloat16()
    masters = MasterWeights(half.parameters())
    for master, p in zip(masters.masters, plain.parameters(), strict=True):
        master.data.copy_(p)
    mine = torch.optim.SGD(masters.masters, lr=0.1)
    torchs = torch.optim.SGD(plain.parameters(), lr=0.1)
    for x, y in batches(40):
        (half(x.bfloat16()).float() - y).square().mean().backward()
        masters.take_gradients()
        mine.step()
        masters.hand_back()
        torchs.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            out = plain(x)
        (out.float() - y).square().mean().backward()
        torchs.step()
    start = network()
    for a, b, c in zip(masters.masters, plain.parameters(), start.parameters(), strict=True):
        assert (a - b).norm() < 0.05 * (b - c).norm()  # near, against the way that was gone


def test_a_scale_saves_what_fp16_would_lose():
    weight = nn.Parameter(torch.tensor([1.0], dtype=torch.float16))
    (weight * 2e-8).sum().backward()
    assert weight.grad.item() == 0.0
    scaler, masters = LossScaler(1024.0), MasterWeights([weight])
    weight.grad = None
    # In fp16 as well: the loss is scaled before the small number is met on the way back.
    (weight * (scaler.up(torch.tensor(2e-8)).half())).sum().backward()
    masters.take_gradients()
    assert scaler.down(masters.masters)
    assert masters.masters[0].grad.item() == pytest.approx(2e-8, rel=0.01)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_updates_add_up_in_the_masters_only(dtype):
    weight = nn.Parameter(torch.ones(2, 3, dtype=dtype))
    alone = weight.detach().clone()
    masters = MasterWeights([weight])
    for _ in range(1000):
        alone += 1e-4
        with torch.no_grad():
            masters.masters[0] += 1e-4
        masters.hand_back()
    assert (alone == 1).all()
    assert weight.detach().float() == pytest.approx(1.1, abs=0.004)
    assert weight.dtype == dtype and masters.masters[0].dtype == torch.float32


def test_missing_gradients_and_frozen_weights():
    used, unused, frozen = (nn.Parameter(torch.ones(2).half()) for _ in range(3))
    frozen.requires_grad_(False)
    masters = MasterWeights([used, unused, frozen])
    used.sum().backward()
    masters.take_gradients()
    assert len(masters.masters) == 2 and masters.masters[1].grad is None and used.grad is None
    assert LossScaler().down(masters.masters)


def test_not_finite_is_found_wherever_it_stands():
    scaler = LossScaler(4.0)
    for bad in (math.inf, -math.inf, math.nan):
        ps = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2, 2))]
        ps[0].grad, ps[1].grad = torch.ones(2), torch.tensor([[1.0, 1], [bad, 1]])
        assert scaler.down(ps) is False
        assert ps[0].grad.tolist() == [0.25, 0.25]


def test_half_precision_gradients_are_refused_and_stay():
    p = nn.Parameter(torch.ones(2).half())
    p.sum().backward()
    with pytest.raises(TypeError, match="gradients must be fp32 .* got torch.float16"):
        LossScaler(8.0).down([p])
    assert p.grad.tolist() == [1, 1]


def test_the_factor_never_becomes_infinite():
    scaler = LossScaler(1e308, interval=1)
    scaler.update(True)
    assert scaler.scale == 1e308


def test_resume():
    one, two = LossScaler(8.0, interval=3), LossScaler(interval=3)
    for finite in (True, False, True, True):
        one.update(finite)
    two.load_state_dict(json.loads(json.dumps(one.state_dict())))
    one.update(True)
    two.update(True)
    assert one.scale == two.scale == 8.0 and two.n_skipped == 1
    for bad in ({}, {**one.state_dict(), "scale": 0.0}, {**one.state_dict(), "n_skipped": -1}):
        with pytest.raises(ValueError, match="must"):
            two.load_state_dict(bad)
    assert two.state_dict() == one.state_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scale": 0.0}, "scale must be > 0, got 0.0"),
        ({"scale": math.inf}, "scale must be a finite number, got inf"),
        ({"growth": 1.0}, "growth must be > 1, got 1.0"),
        ({"backoff": 1.0}, r"backoff must lie in \(0, 1\), got 1.0"),
        ({"interval": 0}, "interval must be a whole number >= 1, got 0"),
    ],
)
def test_bad_settings_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        LossScaler(**change)
    with pytest.raises(ValueError, match="at least one that is trained, got none"):
        MasterWeights([])
