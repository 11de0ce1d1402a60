import math

import pytest
import torch

from course_lib.experiments.activation_race import (
    LAYERS,
    N_SYMBOLS,
    PairModel,
    interval,
    loss_ratio,
    race,
    sharp_gelu,
    task_table,
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


def test_the_sharp_one_is_the_same_curve_drawn_smaller():
    x = torch.linspace(-4, 4, 17, dtype=torch.float64)
    torch.testing.assert_close(10 * sharp_gelu(x / 10), gelu(x))


def test_the_product_alone_is_a_bend():
    assert race("product alone", "look-up", 0)[-1] < 0.2
