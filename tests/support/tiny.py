"""A model and texts so small that a training step takes a millisecond or two."""

import torch

from course_lib.config import GPTConfig, TrainConfig
from course_lib.models.gpt import GPT
from course_lib.training.state import TrainState

SHAPE = GPTConfig(vocab_size=13, max_seq_len=6, d_model=8, n_layers=2, n_heads=2, dropout=0.1)
TRAIN_IDS = torch.randint(13, (400,), generator=torch.Generator().manual_seed(1))
VALIDATION_IDS = torch.randint(13, (90,), generator=torch.Generator().manual_seed(2))


def config(total_steps=12, **changes):
    settings = dict(batch_size=3, warmup_steps=2, eval_every=4, eval_batches=2, sample_every=0)
    return TrainConfig(total_steps, **{**settings, **changes})


def fresh(total_steps=12, shape=SHAPE, **changes):
    torch.manual_seed(7)
    return TrainState.fresh(GPT(shape), config(total_steps, **changes))


def everything(state):
    """All numbers of a state, to compare bit by bit."""
    numbers = {name: t.clone() for name, t in state.model.state_dict().items()}
    for name, parameter in state.model.named_parameters():
        for key, value in state.optimizer.state[parameter].items():
            numbers[f"{name}.{key}"] = torch.as_tensor(value).clone()
    return numbers


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)
