import pytest
import torch

from course_lib.experiments.copy_task import copier_config, copy_texts, learn_to_copy
from course_lib.mechanisms.losses import IGNORE, cross_entropy


def test_only_the_repetition_is_scored():
    token_ids, targets = copy_texts(torch.Generator().manual_seed(0), batch=2, length=3)
    assert token_ids.shape == targets.shape == (2, 5)
    assert torch.equal(token_ids[:, 3:], token_ids[:, :2])
    assert (targets[:, :2] == IGNORE).all()
    assert torch.equal(targets[:, 2:], token_ids[:, :3])


def test_letters_come_from_the_alphabet_asked_for():
    token_ids, _ = copy_texts(torch.Generator().manual_seed(0), batch=50, n_letters=5)
    assert token_ids.unique().tolist() == [0, 1, 2, 3, 4]


def test_it_learns_and_shows_the_loss_before_each_update():
    losses = []
    for now in learn_to_copy(copier_config(), 60):
        losses.append(now.loss)
        if now.step in (0, 59, 60):
            targets = now.token_ids[:, -11:], now.token_ids[:, :12]
            assert torch.equal(targets[0], targets[1][:, :11])
            scored = torch.full_like(now.token_ids, IGNORE)
            scored[:, 11:] = now.token_ids[:, :12]
            assert cross_entropy(now.model(now.token_ids), scored).item() == now.loss
    assert len(losses) == 61 and now.step == 60
    assert losses[-1] < 1 < 3 < losses[0]


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    ends = [[now.loss for now in learn_to_copy(copier_config(), 2, seed=s)] for s in (3, 3, 4)]
    assert ends[0] == ends[1] != ends[2]
    texts = [next(learn_to_copy(copier_config(), 0, seed=s)).token_ids for s in (3, 4)]
    assert not torch.equal(*texts)


def test_gradients_are_those_of_one_batch():
    for now in learn_to_copy(copier_config(), 2):
        if now.step == 1:
            before = now.model.blocks[0].ffn.narrow.bias.clone()
            scored = torch.full_like(now.token_ids, IGNORE)
            scored[:, 11:] = now.token_ids[:, :12]
            loss = cross_entropy(now.model(now.token_ids), scored)
            (wanted,) = torch.autograd.grad(loss, now.model.blocks[0].ffn.narrow.bias)
    left = now.model.blocks[0].ffn.narrow.bias.grad
    assert not torch.equal(before, now.model.blocks[0].ffn.narrow.bias)
    torch.testing.assert_close(left, wanted)


def test_it_starts_fresh_and_each_step_is_one_update():
    fresh, updated = ([*learn_to_copy(copier_config(), n)][-1].model for n in (0, 1))
    pairs = zip(fresh.parameters(), updated.parameters(), strict=True)
    moved = [(after - before).abs().max() for before, after in pairs]
    # Adam's first step is lr, and weight decay takes off a little more.
    assert max(moved).item() == pytest.approx(3e-3, rel=0.05)


def test_other_shapes_and_lengths():
    config = copier_config(d_model=8, n_heads=1, n_layers=1, vocab_size=5, max_seq_len=9)
    assert config.n_layers == 1 and config.d_ff == 32
    (first, _) = learn_to_copy(config, 1, length=5)
    assert first.token_ids.shape == (32, 9) and first.token_ids.max() < 5


def test_bad_numbers_are_named_at_the_call():
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 0, got -1"):
        learn_to_copy(copier_config(), -1)
    with pytest.raises(ValueError, match="length must be at most 12 for max_seq_len=24, got 13"):
        learn_to_copy(copier_config(), 1, length=13)
    with pytest.raises(ValueError, match="lr must be a finite number, got nan"):
        learn_to_copy(copier_config(), 1, lr=float("nan"))
    with pytest.raises(ValueError, match="batch must be a whole number >= 1, got 0"):
        copy_texts(torch.Generator(), batch=0)
