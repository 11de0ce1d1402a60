import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.mechanisms.positions import (
    LearnedPositions,
    SinusoidalPositions,
    count_positions,
    position_angles,
    shift_matrix,
    sinusoidal_positions,
)


def test_learned_rows_are_looked_up_and_learn():
    table = LearnedPositions(6, 3)
    ids = torch.tensor([[4, 0], [1, 1], [2, 3]])
    assert torch.equal(table(ids), table.weight[ids])
    table(torch.arange(4)).sum().backward()
    assert (table.weight.grad[:4] == 1).all() and (table.weight.grad[4:] == 0).all()


@pytest.mark.parametrize("wrong", [6, -1])
def test_the_learned_table_ends(wrong):
    message = rf"position_ids must lie in \[0, max_seq_len=6\), got {wrong}: the table has no row"
    with pytest.raises(ValueError, match=message):
        LearnedPositions(6, 3)(torch.tensor([2, wrong]))


def test_sinusoids_by_their_definition():
    table = sinusoidal_positions(9, 6, base=50.0, dtype=torch.float64)
    for p in range(9):
        for i in range(3):
            angle = p / 50 ** (2 * i / 6)
            assert table[p, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-14)
            assert table[p, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-14)


def test_the_layer_gives_the_rows_of_the_table():
    ids = torch.tensor([[3, 0, 8], [1, 1, 2]])
    layer = SinusoidalPositions(6, base=50.0)
    assert torch.equal(layer(ids), sinusoidal_positions(9, 6, 50.0, torch.float64)[ids])
    assert not list(layer.parameters())


@given(st.integers(-300, 300), st.sampled_from([2, 6, 64]), st.sampled_from([100.0, 10_000.0]))
def test_one_rotation_shifts_every_position(offset, width, base):
    table = sinusoidal_positions(640, width, base, torch.float64)
    turn = shift_matrix(offset, width, base)
    starts = torch.arange(max(0, -offset), 640 - max(0, offset))
    error = (table[starts] @ turn.T - table[starts + offset]).abs().max()
    assert error < 1e-12
    assert (turn @ turn.T - torch.eye(width, dtype=torch.float64)).abs().max() < 1e-14


def test_angles_are_right_far_out():
    # The exact value to 50 digits, reduced to one turn: 8191 * 10000^(-2/64), by hand in Python.
    from fractions import Fraction

    exact = Fraction(8191) * Fraction(10_000.0 ** (-2 / 64))
    found = position_angles(torch.tensor([8191]), 64)[0, 1]
    assert found.dtype == torch.float64
    assert abs(Fraction(found.item()) - exact) < Fraction(1, 10**11)
    coarse = torch.tensor(8191.0) * torch.tensor(10_000.0) ** (-2 / 64)
    assert abs(Fraction(coarse.item()) - exact) > Fraction(1, 10**5)


def test_real_tokens_are_counted_wherever_the_padding_stands():
    real = torch.tensor([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 0, 1, 0, 1]]).bool()
    counted = count_positions(real)
    assert all(counted[text][real[text]].tolist() == [0, 1, 2] for text in range(3))
    assert counted[0].tolist() == [0, 1, 2, 3, 4]  # as published BERT numbers them
    assert (counted >= 0).all() and (counted < 5).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda ship: ship(sinusoidal_positions)(0, 4),
            ValueError,
            "n_positions must be a whole number >= 1",
        ),
        (lambda ship: ship(sinusoidal_positions)(3, 5), ValueError, "width must be even.*got 5"),
        (lambda ship: ship(SinusoidalPositions)(0), ValueError, "d_model must be even.*got 0"),
        (
            lambda ship: ship(SinusoidalPositions)(4, base=-1.0),
            ValueError,
            "base must be > 0, got -1.0",
        ),
        (
            lambda ship: ship(shift_matrix)(1, 4, base=math.nan),
            ValueError,
            "base must be a finite number",
        ),
        (
            lambda ship: ship(position_angles)(torch.zeros(2), 4),
            TypeError,
            "position_ids must hold whole",
        ),
        (lambda ship: ship(count_positions)(torch.ones(2, 3)), TypeError, "real must be bool"),
    ],
)
def test_bad_input_is_named(call, error, message, as_shipped):
    with pytest.raises(error, match=message):
        call(as_shipped)
