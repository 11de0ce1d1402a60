import pytest
import torch

from course_lib.experiments.head_learning import (
    ensemble_loss,
    learn_with_heads,
    shares_of_places,
    voting_loss,
)
from course_lib.experiments.head_roles import N_TEXTS, head_roles, reading_loss, trained_reader
from course_lib.experiments.six_or_nine import COIN_FLIP, PLACES, draw_texts
from course_lib.mechanisms.losses import cross_entropy


def test_losses_are_those_of_the_models_on_the_way():
    run = learn_with_heads(2, 4, every=1, seeds=(0, 3))
    assert run.steps == [0, 1, 2, 3, 4] and run.losses.shape == (2, 5)
    for row, half, last in zip(run.losses.tolist(), run.halfway, run.models, strict=True):
        assert row[2] == pytest.approx(reading_loss(half))
        assert row[4] == pytest.approx(reading_loss(last)) != pytest.approx(row[2])
    assert run.losses[1, 4].item() == pytest.approx(reading_loss(trained_reader(2, 1, 4, 3)))


def test_four_heads_are_ahead_of_one_and_of_sixteen():
    runs = [learn_with_heads(n, 80, every=40, seeds=(0,)) for n in (1, 4, 16)]
    one, four, sixteen = (run.losses[0, 1:] for run in runs)
    assert (four < sixteen).all() and (four < one - 0.1).all()


def test_shares_are_those_by_distance():
    model = trained_reader(2, 1, 30, seed=1)
    shares = shares_of_places(model)
    torch.testing.assert_close(shares, head_roles(model).by_distance[0][:, list(PLACES)])


def test_a_vote_is_right_unless_letters_agree_by_chance():
    assert voting_loss([0.3, 0.4, 0.3]) < 0.25 < voting_loss([0.25, 0.5, 0.25]) < COIN_FLIP
    assert voting_loss([0, 0, 0]) == pytest.approx(torch.tensor(16.0).log().item())
    assert voting_loss([0, 1, 0]) > 5
    with pytest.raises(ValueError, match="shares must be 3 numbers, one a place, got 2"):
        voting_loss([0.5, 0.5])


def test_an_ensemble_averages_probabilities():
    models = [trained_reader(1, 1, 3, seed) for seed in (0, 1)]
    assert ensemble_loss(models[:1]) == pytest.approx(reading_loss(models[0]), rel=1e-5)
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(1000), N_TEXTS)
    with torch.no_grad():
        probs = sum(model(token_ids).softmax(dim=-1) for model in models) / 2
    wanted = cross_entropy(probs.log(), targets).item()
    assert ensemble_loss(models) == pytest.approx(wanted, rel=1e-5)
    assert wanted < max(reading_loss(model) for model in models)


def test_bad_numbers_are_named():
    with pytest.raises(ValueError, match="n_steps must be a multiple of .* = 50, got 60"):
        learn_with_heads(1, 60)
    with pytest.raises(ValueError, match="every must be a whole number >= 1, got 0"):
        learn_with_heads(1, every=0)
