import math

import pytest
import torch

from course_lib.experiments import activation_race
from course_lib.experiments.activation_race import (
    LAYERS,
    N_SYMBOLS,
    PairModel,
    interval,
    loss_ratio,
    race,
    task_table,
    without_its_line,
)
from course_lib.mechanisms.activations import gelu


def test_addition_is_a_table_of_sums_under_other_names():
    table = task_table("addition", 0)
    # Every row and every column holds each symbol once, and the order does not count.
    assert torch.equal(table, table.T)
    assert (table.sort(dim=0).values == torch.arange(N_SYMBOLS)[:, None]).all()
    # Some symbol is zero, and adding one after the other comes to the same in either order.
    zero = int((table == torch.arange(N_SYMBOLS)).all(dim=1).nonzero())
    a, b, c = 3, 7, 11
    assert table[table[a, b], c] == table[a, table[b, c]] and table[zero, 5] == 5
    assert not torch.equal(table, task_table("addition", 1))


def test_a_table_to_look_up_has_no_order():
    table = task_table("look-up", 0)
    assert table.shape == (N_SYMBOLS, N_SYMBOLS) and not torch.equal(table, table.T)


def test_one_seed_starts_all_layers_alike_but_for_the_layer():
    models = []
    for layer in ("ReLU", "SwiGLU"):
        torch.manual_seed(3)
        models.append(PairModel(layer))
    for name in ("first", "second", "head"):
        assert torch.equal(*(getattr(model, name).weight for model in models))


def test_equal_numbers_in_the_matrices():
    sizes = {
        layer: sum(p.numel() for p in PairModel(layer).ffn.parameters() if p.ndim == 2)
        for layer in LAYERS
    }
    assert len(set(sizes.values())) == 1


def test_the_task_needs_a_bend():
    bent, straight = (race(layer, "look-up", 0)[-1].item() for layer in ("ReLU", "no bend"))
    assert bent < 0.2 < 1 < straight


def test_a_race_starts_at_blind_guessing_and_can_be_repeated():
    losses = race("GELU", "addition", 1, n_steps=3)
    assert losses.shape == (4,) and abs(losses[0] - math.log(N_SYMBOLS)) < 0.5
    assert torch.equal(losses, race("GELU", "addition", 1, n_steps=3))
    assert not torch.equal(losses, race("GELU", "addition", 1, n_steps=3, spread=3.0))


def test_intervals_are_student_s():
    found = interval([1.0, 2.0, 3.0, 4.0])
    half = 3.182 * math.sqrt(5 / 3) / 2
    assert (found.mean, found.low, found.high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    with pytest.raises(ValueError, match="got 3"):
        interval([1.0, 2.0, 3.0])


def test_ratios_are_taken_start_by_start():
    found = loss_ratio([2.0, 20.0, 200.0, 2000.0], [1.0, 10.0, 100.0, 1000.0])
    assert (found.mean, found.low, found.high) == pytest.approx((2, 2, 2))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="task must be one of"):
        task_table("copy", 0)
    with pytest.raises(ValueError, match="layer must be one of"):
        race("Mish", "look-up", 0)


@pytest.mark.parametrize("function", [gelu, torch.relu])
def test_without_its_line_a_function_is_even_and_as_curved_as_before(function):
    x, level = torch.linspace(-4, 4, 401, dtype=torch.float64), without_its_line(function)
    curvatures = [f(x)[2:] - 2 * f(x)[1:-1] + f(x)[:-2] for f in (level, function)]
    torch.testing.assert_close(*curvatures, atol=1e-14, rtol=0)
    torch.testing.assert_close(level(x), level(-x))


def test_each_line_is_taken_from_its_own_function():
    x = torch.tensor([-1.0, 0.5, 2.0])
    for name, function in (("GELU less x/2", gelu), ("ReLU less x/2", torch.relu)):
        torch.testing.assert_close(PairModel(name).ffn.activation(x), function(x) - x / 2)


def test_spread_scales_the_weights_before_the_bend_and_nothing_else(monkeypatch):
    made = []
    monkeypatch.setattr(
        activation_race, "PairModel", lambda layer: made.append(PairModel(layer)) or made[-1]
    )
    for spread in (1.0, 3.0):
        # A learning rate of next to nothing leaves the start as it was.
        race("SwiGLU", "look-up", 0, lr=1e-12, n_steps=1, spread=spread)
    one, three = (dict(model.named_parameters()) for model in made)
    for name in one:
        factor = 3.0 if name in ("ffn.widen.weight", "ffn.gate.weight") else 1.0
        torch.testing.assert_close(three[name], factor * one[name], atol=1e-6, rtol=1e-5)


def test_the_product_alone_is_a_bend():
    assert race("product alone", "look-up", 0)[-1] < 0.2
