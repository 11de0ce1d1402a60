import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.optim.adam_l2 import AdamL2
from course_lib.optim.adamw import AdamW, from_paper

SHAPES = [(3, 5), (4,), (2, 3, 4), ()]
PAIRS = {
    "AdamW": (AdamW, torch.optim.AdamW),
    "Adam + L2": (AdamL2, torch.optim.Adam),
}
both = pytest.mark.parametrize(("ours", "theirs"), PAIRS.values(), ids=PAIRS)


def weights(seed=0, dtype=torch.float64):
    draws = torch.Generator().manual_seed(seed)
    return [torch.randn(s, generator=draws, dtype=dtype).requires_grad_() for s in SHAPES]


def groups(params, **second):
    """Two groups with settings of their own, the second with another rate and decay."""
    return [{"params": params[:2]}, {"params": params[2:], "weight_decay": 0.0, **second}]


def set_gradients(params, step, scale=1.0, missing=None):
    draws = torch.Generator().manual_seed(1000 + step)
    for i, p in enumerate(params):
        drawn = scale * torch.randn(p.shape, generator=draws, dtype=torch.float64)
        p.grad = None if i == missing else drawn.to(p.dtype)


def run(make, params, n_steps, first=0, **gradients):
    optimizer = make(params) if callable(make) else make
    for step in range(first, first + n_steps):
        set_gradients(params, step, **gradients)
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 + step % 7)  # a schedule, as a training loop sets it
        optimizer.step()
    return optimizer


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@both
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_equal_to_torch_to_the_last_bit_over_hundreds_of_steps(ours, theirs, scale):
    settings_ = dict(lr=0.01, betas=(0.8, 0.95), eps=1e-7, weight_decay=0.3)
    mine, published = weights(), weights()
    for made, make in ((mine, ours), (published, theirs)):
        options = {"foreach": False} if make is theirs else {}
        run(lambda p, make=make, o=options: make(groups(p, eps=1e-4), **settings_, **o),
            made, 500, scale=scale)  # fmt: skip
    assert same(mine, published)
    assert not same(mine, weights())


@both
def test_close_to_the_fused_and_foreach_ways(ours, theirs):
    for option in ("fused", "foreach"):
        mine, published = weights(), weights()
        run(lambda p: ours(p, weight_decay=0.1), mine, 300)
        run(lambda p, o=option: theirs(p, weight_decay=0.1, **{o: True}), published, 300)
        for a, b in zip(mine, published, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@both
def test_the_defaults_are_torchs(ours, theirs):
    settings_ = theirs([torch.zeros(1)]).defaults
    for name, value in ours([torch.zeros(1)]).defaults.items():
        assert value == settings_[name], name


@both
def test_a_state_dict_goes_to_torch_and_back(ours, theirs):
    through, straight = weights(), weights()
    first = run(lambda p: ours(p, weight_decay=0.2), through, 5)
    middle = theirs(through, foreach=False)
    middle.load_state_dict(copy.deepcopy(first.state_dict()))
    run(middle, through, 5, first=5)
    last = ours(through)
    last.load_state_dict(copy.deepcopy(middle.state_dict()))
    run(last, through, 5, first=10)
    run(lambda p: theirs(p, weight_decay=0.2, foreach=False), straight, 15)
    assert same(through, straight)
    assert last.param_groups[0]["weight_decay"] == 0.2


@both
def test_weights_without_a_gradient_are_passed_over(ours, theirs):
    mine, published = weights(), weights()
    optimizer = run(lambda p: ours(p, weight_decay=0.5), mine, 3, missing=1)
    run(lambda p: theirs(p, weight_decay=0.5, foreach=False), published, 3, missing=1)
    assert same(mine, published)
    assert torch.equal(mine[1], weights()[1])
    assert mine[1] not in optimizer.state


@both
def test_the_gradient_is_not_changed(ours, theirs):
    params = weights()
    optimizer = ours(params, weight_decay=0.5)
    set_gradients(params, 0)
    before = [p.grad.clone() for p in params]
    optimizer.step()
    assert same([p.grad for p in params], before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_other_types_agree_with_torch_too(dtype):
    mine, published = weights(dtype=dtype), weights(dtype=dtype)
    run(lambda p: AdamW(p, weight_decay=0.1, eps=1e-3), mine, 50)
    run(lambda p: torch.optim.AdamW(p, weight_decay=0.1, eps=1e-3, foreach=False), published, 50)
    assert same(mine, published)


def test_a_transposed_tensor_is_updated_in_place():
    stored = torch.ones(3, 2, dtype=torch.float64)
    seen = stored.T.requires_grad_()
    seen.grad = torch.arange(6, dtype=torch.float64).reshape(2, 3) - 2.5
    AdamW([seen], lr=0.1).step()
    assert torch.allclose(stored.T, 1 - 0.001 - 0.1 * seen.grad.sign(), atol=1e-6)


def test_a_closure_is_asked_with_gradients_on():
    (weight,) = [torch.tensor([2.0, -3.0]).requires_grad_()]
    optimizer = AdamW([weight], lr=0.1, weight_decay=0.0)

    def closure():
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 13
    assert torch.allclose(weight, torch.tensor([1.9, -2.9]))
    assert optimizer.step() is None


def test_groups_and_names_as_in_torch():
    linear = torch.nn.Linear(2, 3)
    named = AdamW(linear.named_parameters())
    assert named.param_groups[0]["param_names"] == ["weight", "bias"]
    optimizer = AdamW([linear.weight], lr=0.1)
    optimizer.add_param_group({"params": [linear.bias], "weight_decay": 0.7})
    assert optimizer.param_groups[1]["weight_decay"] == 0.7
    assert optimizer.param_groups[1]["lr"] == 0.1
    schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5)
    assert [group["lr"] for group in optimizer.param_groups] == [0.05, 0.05]
    assert schedule is not None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lr": -1.0}, "lr must be a finite number >= 0, got -1.0"),
        ({"lr": math.nan}, "lr must be a finite number >= 0, got nan"),
        ({"eps": -1e-8}, "eps must be a finite number >= 0, got -1e-08"),
        ({"weight_decay": math.inf}, "weight_decay must be a finite number >= 0, got inf"),
        ({"betas": (1.0, 0.9)}, r"betas\[0\] must lie in \[0, 1\), got 1.0"),
        ({"betas": (0.9, -0.1)}, r"betas\[1\] must lie in \[0, 1\), got -0.1"),
    ],
)
@pytest.mark.parametrize("make", [AdamW, AdamL2])
def test_settings_out_of_range_are_named(make, changed, message):
    with pytest.raises(ValueError, match=message):
        make([torch.zeros(2)], **changed)
    with pytest.raises(ValueError, match=message):  # in a group as well; torch lets these pass
        make([{"params": [torch.zeros(2)], **changed}])


def test_a_sparse_gradient_is_refused_and_nothing_changed():
    dense, table = torch.ones(3, requires_grad=True), torch.ones(4, 2, requires_grad=True)
    dense.grad = torch.ones(3)
    optimizer = AdamW([dense, table])
    found = torch.sparse_coo_tensor([[1], [0]], [1.0], (4, 2), check_invariants=True)
    table.grad = found
    with pytest.raises(ValueError, match=r"gradients must be dense, got one of shape \(4, 2\)"):
        optimizer.step()
    assert torch.equal(dense, torch.ones(3))
    assert not optimizer.state


@pytest.mark.parametrize("option", ["amsgrad", "maximize"])
def test_a_state_made_otherwise_is_refused(option):
    params = weights()
    theirs = run(lambda p: torch.optim.AdamW(p, **{option: True}), params, 2)
    ours = AdamW(params)
    with pytest.raises(ValueError, match=f"without {option}, got {option}=True"):
        ours.load_state_dict(theirs.state_dict())
    assert not ours.state


def test_the_papers_update_through_the_stated_mapping():
    """Algorithm 2 of Loshchilov and Hutter 2019, line by line, on plain numbers."""
    alpha, decay, beta1, beta2, eps = 0.02, 0.005, 0.9, 0.99, 1e-8
    theta, m, v = 0.7, 0.0, 0.0
    ours = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
    optimizer = AdamW([ours], betas=(beta1, beta2), eps=eps)
    wrong = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
    unmapped = AdamW([wrong], betas=(beta1, beta2), eps=eps)
    for t in range(1, 301):
        grad, eta = math.sin(t) + 0.3, 0.5 + 0.5 * math.cos(t / 100)
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad**2
        m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
        theta -= eta * (alpha * m_hat / (math.sqrt(v_hat) + eps) + decay * theta)
        for weight, made, changed in ((ours, optimizer, {}), (wrong, unmapped,
                                                              {"weight_decay": decay})):
            made.param_groups[0].update(from_paper(alpha, decay, eta) | changed)
            weight.grad = torch.tensor(grad, dtype=torch.float64)
            made.step()
    assert ours.item() == pytest.approx(theta, abs=1e-13)
    assert wrong.item() != pytest.approx(theta, abs=0.01)
    with pytest.raises(ValueError, match="alpha must be > 0, got 0"):
        from_paper(0.0, 0.1)


@settings(max_examples=40, deadline=None)
@given(
    power=st.integers(-12, 12), decay=st.floats(0, 1), start=st.floats(-10, 10),
    beta1=st.floats(0, 0.95), beta2=st.floats(0, 0.99),
)  # fmt: skip
def test_the_scale_of_the_gradients_does_not_matter_to_adamw(power, decay, start, beta1, beta2):
    """With eps = 0 a power of two leaves no trace; the decay is the same in any case."""
    ends = []
    for scale in (1.0, 2.0**power):
        weight = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        optimizer = AdamW([weight], 0.01, (beta1, beta2), eps=0.0, weight_decay=decay)
        for step in range(1, 6):
            weight.grad = scale * torch.tensor(math.cos(step), dtype=torch.float64)
            optimizer.step()
        ends.append(weight.item())
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
