"""Does it train better?  Small GPTs whose writers are drawn in different ways learn to copy."""

from collections.abc import Iterator, Sequence

import torch

from course_lib.config import require_number, require_whole
from course_lib.experiments.copy_task import copier_config, copy_texts
from course_lib.experiments.initial_stream import AS_STD, READINGS, writer_std
from course_lib.experiments.race_step import RaceStep
from course_lib.experiments.starts import PUBLISHED_STD, equivalent_std
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.gpt import GPT


def race(
    readings: Sequence[str] = READINGS,
    n_steps: int = 120,
    *,
    n_layers: int = 6,
    lr: float = 1e-3,
    batch: int = 8,
    seed: int = 0,
) -> Iterator[RaceStep]:
    """Train one model a reading, side by side on the same texts, with Adam at one rate.

    All start from the same random numbers; the writers alone are multiplied.
    """
    require_whole(1, n_steps=n_steps, n_layers=n_layers, batch=batch)
    require_whole(0, seed=seed)
    require_number(lr=lr)
    models = {reading: _model(reading, n_layers, seed) for reading in readings}
    return _race(models, n_steps, lr, batch, seed)


def _model(reading: str, n_layers: int, seed: int) -> GPT:
    """A GPT of width 64 with the published spreads, and writers as this reading has them."""
    width = 64
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        std = equivalent_std(width)
        model = GPT(copier_config(d_model=width, n_layers=n_layers, init_std=std))
    spreads = [writer_std(r, PUBLISHED_STD, n_layers) for r in (reading, AS_STD)]
    with torch.no_grad():
        for block in model.blocks:
            for writer in (block.attn.out_proj, block.ffn.narrow):
                writer.weight.mul_(spreads[0] / spreads[1])  # the model is born with AS_STD
    return model


def _race(models: dict[str, GPT], n_steps: int, lr: float, batch: int, seed: int):
    """The race itself; apart, so that bad input is named at the call."""
    runners = [
        (name, model, torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.98), fused=True))
        for name, model in models.items()
    ]
    texts = torch.Generator().manual_seed(1000 + seed)
    for step in range(1, n_steps + 1):
        token_ids, targets = copy_texts(texts, batch)
        losses = {}
        for name, model, optimiser in runners:
            loss = cross_entropy(model(token_ids), targets)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses[name] = loss.item()
        yield RaceStep(step, losses)
