import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.optim.adamw import AdamW
from course_lib.optim.muon import Muon, orthogonalise

SHAPES = [(3, 5), (5, 3), (4, 4), (3, 5), (2, 9), (9, 2), (6, 4)]


def by_decomposition(matrix, n_iterations):
    """The polynomial on each singular value, with torch's own decomposition."""
    u, s, v = torch.linalg.svd(matrix, full_matrices=False)
    s = s / s.square().sum(-1, keepdim=True).sqrt()
    for _ in range(n_iterations):
        s = 3.4445 * s - 4.7750 * s**3 + 2.0315 * s**5
    return u @ torch.diag_embed(s) @ v


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 7), columns=st.integers(1, 7), n=st.integers(1, 6), seed=st.integers(0, 99)
)
def test_singular_values_go_through_the_polynomial_and_directions_stay(rows, columns, n, seed):
    draws = torch.Generator().manual_seed(seed)
    stack = torch.randn(2, 3, rows, columns, generator=draws, dtype=torch.float64)
    torch.testing.assert_close(
        orthogonalise(stack, n), by_decomposition(stack, n), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("shape", [(64, 64), (64, 256), (256, 64)])
def test_singular_values_end_near_one(shape):
    found = torch.linalg.svdvals(orthogonalise(torch.randn(shape), 5))
    assert found.max() < 1.25 and found.median() > 0.6
    plain = torch.randn(shape)
    assert torch.linalg.svdvals(plain / plain.norm()).median() < 0.2


def test_scale_does_not_matter_and_zeros_stay_zeros():
    for shape in ((5, 7), (3, 8), (8, 3)):
        matrix = torch.randn(shape)
        torch.testing.assert_close(orthogonalise(1e-9 * matrix), orthogonalise(matrix))
        assert (orthogonalise(torch.zeros(shape)) == 0).all()
        assert orthogonalise(1e-30 * matrix).norm() < 1e-6


@pytest.mark.parametrize(
    ("matrices", "n", "message"),
    [
        (torch.ones(3), 5, r"matrices must be floating-point with at least 2 axes.*\(3,\)"),
        (torch.ones(3, 2).long(), 5, "matrices must be floating-point.*int64"),
        (torch.ones(3, 2), 0, "n_iterations must be a whole number >= 1, got 0"),
    ],
)
def test_bad_input_is_named(matrices, n, message, as_shipped):
    with pytest.raises(ValueError, match=message):
        as_shipped(orthogonalise)(matrices, n)


def weights(seed=0, shapes=SHAPES, dtype=torch.float64):
    draws = torch.Generator().manual_seed(seed)
    return [torch.randn(s, generator=draws, dtype=dtype).requires_grad_() for s in shapes]


def set_gradients(params, step, missing=None):
    draws = torch.Generator().manual_seed(1000 + step)
    for i, p in enumerate(params):
        drawn = torch.randn(p.shape, generator=draws, dtype=torch.float64)
        p.grad = None if i == missing else drawn.to(p.dtype)


def run(optimizer, params, n_steps, first=0, **gradients):
    for step in range(first, first + n_steps):
        set_gradients(params, step, **gradients)
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * (1 + step % 3)  # a schedule, as a training loop sets it
        optimizer.step()
    return optimizer


def test_near_to_torchs_muon_which_iterates_in_bfloat16():
    mine, published = weights(dtype=torch.float32), weights(dtype=torch.float32)
    before = [p.detach().clone() for p in mine]
    run(Muon(mine, weight_decay=0.3), mine, 5)
    run(torch.optim.Muon(published, weight_decay=0.3, adjust_lr_fn="match_rms_adamw"), published, 5)
    for a, b, start in zip(mine, published, before, strict=True):
        moved = (b - start).norm()
        assert (a - b).norm() < 0.03 * moved  # bfloat16 has 8 binary digits, 5 steps of it
        assert moved > 0.05


def test_two_updates_by_the_formula():
    (matrix,), momentum, lr, decay = weights(shapes=[(2, 3)]), 0.7, 0.05, 0.3
    expected, average = matrix.detach().clone(), torch.zeros(2, 3, dtype=torch.float64)
    optimizer = Muon([matrix], lr=lr, weight_decay=decay, momentum=momentum, n_iterations=2)
    for step in range(2):
        set_gradients([matrix], step)
        average = momentum * average + (1 - momentum) * matrix.grad
        ahead = (1 - momentum) * matrix.grad + momentum * average
        expected *= 1 - lr * decay
        expected -= 0.2 * math.sqrt(3) * lr * by_decomposition(ahead, 2)
        optimizer.step()
    torch.testing.assert_close(matrix.detach(), expected)


def test_an_update_is_about_as_long_as_adams():
    for shape in ((48, 48), (48, 192), (192, 48)):
        (matrix,) = weights(shapes=[shape])
        before = matrix.detach().clone()
        set_gradients([matrix], 0)
        Muon([matrix], lr=0.01, weight_decay=0).step()
        size = (matrix - before).square().mean().sqrt().item() / 0.01
        assert 0.13 < size < 0.25  # 0.2 if all singular values were 1; 1 is Adam's first step


def test_the_others_follow_adamw_to_the_last_bit():
    mine, alone = weights(), weights()
    options = dict(lr=0.02, betas=(0.8, 0.9), eps=1e-7, weight_decay=0.2)
    groups = [{"params": mine[4:5]}, {"params": mine[5:], "weight_decay": 0.0}]
    optimizer = run(Muon(mine[:4], groups, **options), mine, 6)
    other = AdamW([{"params": alone[4:5]}, {"params": alone[5:], "weight_decay": 0.0}], **options)
    run(other, alone, 6)
    for a, b in zip(mine[4:], alone[4:], strict=True):
        assert torch.equal(a, b)
    for i, p in enumerate(mine):
        kept = {"momentum"} if i < 4 else {"step", "exp_avg", "exp_avg_sq"}
        assert set(optimizer.state[p]) == kept


def test_alone_or_among_others_of_its_shape_a_matrix_moves_the_same():
    together, alone = weights(), weights()
    run(Muon(together), together, 3)
    for matrix in alone:
        optimizer = Muon([matrix])
        for step in range(3):
            set_gradients(alone, step)
            optimizer.param_groups[0]["lr"] = 0.01 * (1 + step % 3)
            optimizer.step()
    for a, b in zip(together, alone, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


def test_parts_of_a_matrix_move_as_if_each_stood_alone():
    (whole,), n_parts = weights(shapes=[(12, 7)]), 3
    alone = [rows.clone().requires_grad_() for rows in whole.detach().chunk(n_parts)]
    optimizer = Muon([{"params": [whole], "n_parts": n_parts}], lr=0.03, weight_decay=0.3)
    other = Muon(alone, lr=0.03, weight_decay=0.3)
    for step in range(3):
        set_gradients([whole], step)
        for part, gradient in zip(alone, whole.grad.chunk(n_parts), strict=True):
            part.grad = gradient.clone()
        optimizer.step()
        other.step()
    torch.testing.assert_close(whole, torch.cat(alone), rtol=1e-12, atol=1e-12)


def test_parts_must_divide_the_rows():
    with pytest.raises(ValueError, match=r"n_parts must divide the rows .*, got 5 for \(12, 7\)"):
        Muon([{"params": weights(shapes=[(12, 7)]), "n_parts": 5}])
    with pytest.raises(ValueError, match="n_parts must be a whole number >= 1, got 0"):
        Muon([{"params": weights(shapes=[(12, 7)]), "n_parts": 0}])


def test_a_matrix_without_a_gradient_is_passed_over():
    params = weights()
    before = params[2].detach().clone()
    run(Muon(params), params, 2, missing=2)
    assert torch.equal(params[2], before)


def test_a_saved_state_goes_on_to_the_last_bit():
    whole, halves = weights(), weights()
    run(Muon(whole[:5], whole[5:]), whole, 6)
    first = run(Muon(halves[:5], halves[5:]), halves, 3)
    saved = copy.deepcopy(first.state_dict())
    second = Muon(halves[:5], halves[5:])
    second.load_state_dict(saved)
    run(second, halves, 3, first=3)
    assert all(torch.equal(a, b) for a, b in zip(whole, halves, strict=True))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"matrices": [torch.ones(3)]}, r"matrices must have 2 axes, got shape \(3,\)"),
        ({"momentum": 1.0}, r"momentum must lie in \[0, 1\), got 1.0"),
        ({"momentum": float("nan")}, "momentum"),
        ({"n_iterations": 0}, "n_iterations must be a whole number >= 1, got 0"),
        ({"lr": -1.0}, "lr must be a finite number >= 0"),
    ],
)
def test_settings_out_of_range_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        Muon(**{"matrices": weights(), **changed})
