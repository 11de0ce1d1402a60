import pytest
import torch

from course_lib.experiments.who_knows import (
    change_before,
    influence,
    masks_for,
    random_blocks,
    reachable,
    who_knows,
)
from course_lib.mechanisms.masks import causal_mask, window_mask

FUTURE = torch.ones(6, 6, dtype=torch.bool).triu(1)


def test_influence_is_the_jacobian_of_the_stack():
    visible = causal_mask(4)
    visible[3, 1] = False
    blocks = random_blocks(2, 6, seed=5)
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(4, 6, generator=generator, dtype=torch.float64)

    def stack(x):
        x = x[None]
        for block in blocks:
            x = block(x, visible)
        return x[0]

    jacobian = torch.autograd.functional.jacobian(stack, x)  # [query, d, key, d]
    expected = jacobian.norm(dim=(1, 3))
    torch.testing.assert_close(influence(visible, 2, seed=5, d_model=6), expected)


@pytest.mark.parametrize("first", [1, 3, 5])
def test_replaced_inputs_change_earlier_outputs_where_the_mask_lets_them(first):
    assert change_before(causal_mask(6), first, 3) == 0
    hole = causal_mask(6)
    hole[first - 1, first] = True
    assert change_before(hole, first, 3) > 0.01
    assert change_before(~FUTURE | ~FUTURE.mT, first, 2) > 0.01


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_layers", [1, 3])
def test_a_causal_mask_lets_exactly_nothing_of_the_future_through(n_layers, seed):
    size = influence(causal_mask(6), n_layers, seed)
    assert (size[FUTURE] == 0).all() and (size[~FUTURE] > 0.01).all()
    assert (influence(torch.ones(6, 6, dtype=torch.bool), n_layers, seed)[FUTURE] > 0.01).all()


@pytest.mark.parametrize("name", masks_for())
@pytest.mark.parametrize("n_layers", [1, 2, 4])
def test_what_is_reachable_is_what_has_influence(name, n_layers):
    found = who_knows(name, n_layers)
    assert torch.equal(found.influence > 0, found.reached)


def test_a_window_reaches_one_step_less_than_its_width_further_with_each_layer():
    assert reachable(window_mask(10, 3), 0).sum() == 10
    for n_layers in (1, 2, 4):
        assert torch.equal(
            reachable(window_mask(10, 3), n_layers), window_mask(10, 2 * n_layers + 1)
        )


def test_the_residual_stream_keeps_what_the_mask_hides_from_itself():
    visible = torch.tensor([[False, True], [True, False]])
    assert reachable(visible, 1).all()


def test_padding_is_known_by_its_name():
    masks = masks_for(["[PAD]", "a", "b"])
    assert masks["padding"].tolist() == [[False, True, True]] * 3
    expected = [[True, False, False], [False, True, False], [False, True, True]]
    assert masks["causal + padding"].tolist() == expected


def test_bad_input_is_named(as_shipped):
    with pytest.raises(ValueError, match="mask must be one of none, causal, .* got 'x'"):
        who_knows("x", 1)
    with pytest.raises(ValueError, match="n_layers must be a whole number >= 1, got 0"):
        influence(causal_mask(3), 0)
    with pytest.raises(ValueError, match="n_layers must be a whole number >= 0, got -1"):
        reachable(causal_mask(3), -1)
    with pytest.raises(TypeError, match="visible must be a tensor, got list"):
        as_shipped(reachable)([[True]], 1)


PUZZLE = ["[PAD]", "[PAD]", "the", "cat", "sat", "on", "it"]


def test_the_answers_to_the_puzzles_of_lesson_22():
    window = masks_for(PUZZLE)["window"]
    assert not reachable(window, 3)[6, 2]
    window[5, 3] = True  # “on” reads “cat”
    assert reachable(window, 3)[6, 2]
    painted = torch.eye(7, dtype=torch.bool)
    painted[4, 2:5] = painted[6, 4:7] = True
    assert painted.sum(dim=-1).max() == 3 and reachable(painted, 2)[6, 2:].all()
    assert masks_for(PUZZLE)["causal + padding"][0].sum() == 1


@pytest.mark.parametrize("wrong", [torch.ones(4), torch.ones(4, 1), torch.ones(3, 4)])
def test_a_mask_that_is_not_square_is_named(wrong, as_shipped):
    for measure in (reachable, influence):
        with pytest.raises(ValueError, match=r"visible must have shape \(seq, seq\)"):
            as_shipped(measure)(wrong.bool(), 1)
        with pytest.raises(TypeError, match="visible must be bool"):
            as_shipped(measure)(wrong, 1)


def test_replacing_nothing_is_refused():
    with pytest.raises(ValueError, match="first must be < seq=4, got 4"):
        change_before(torch.ones(4, 4).bool(), first=4, n_layers=1)
