import pytest
import torch

from course_lib.bench.rivals import both
from course_lib.config import TrainConfig, tiny_gpt
from course_lib.models.checkpoints import load_gpt2
from course_lib.training.loop import update
from course_lib.training.tasks import NextToken

pytest.importorskip("transformers")


def test_the_same_task():
    """Same weights, same windows: losses and gradient norms agree, step after step."""
    torch.manual_seed(0)
    ours, theirs = both(TrainConfig(total_steps=10))
    load_gpt2(ours.model, theirs.model.model.state_dict())
    ids = torch.randint(256, (3, 65), generator=torch.Generator().manual_seed(1))
    windows = ids[:, :-1], ids[:, 1:]
    task = NextToken(ids[0], ids[1])
    for _ in range(3):
        mine, published = (update(side, task, windows, lr=1e-3) for side in (ours, theirs))
        assert mine[0] == pytest.approx(published[0], rel=1e-3)
        assert mine[1] == pytest.approx(published[1], rel=1e-3)


def test_the_shape_is_the_stated_one():
    config = tiny_gpt()
    assert (config.n_layers, config.d_model, config.max_seq_len, config.vocab_size) == (
        4, 128, 64, 256
    )  # fmt: skip
    assert TrainConfig(total_steps=1).batch_size == 12
    _, theirs = both(TrainConfig(total_steps=1))
    settings = theirs.model.model.config
    assert (settings.n_layer, settings.n_embd, settings.n_positions) == (4, 128, 64)
    assert (settings.resid_pdrop, settings.embd_pdrop, settings.attn_pdrop) == (0, 0, 0)
    assert settings._attn_implementation == "sdpa"  # their fast way, not the eager one
