"""Small trainings that come out the same in any number of processes.

Usage, under torchrun: shared_training.py FOLDER; each process writes what it found there.
"""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from course_lib.data.randomness import generator_for
from course_lib.training.processes import ALONE, joined
from course_lib.training.recipes import (
    STORIES_BERT,
    STORIES_GPT,
    Run,
    gpt_material,
    story_pairs_material,
)

RECIPES = {
    "gpt": replace(STORIES_GPT, material=partial(gpt_material, n_stories=60, n_held_out=7)),
    "bert": replace(
        STORIES_BERT, material=partial(story_pairs_material, n_pairs=60, n_held_out=10)
    ),
}
SMALL = dict(d_model=24, n_layers=2, n_heads=3, warmup_steps=1, batch_size=5, eval_every=4,
             eval_batches=2)  # fmt: skip


def make(name, processes=ALONE):
    """A run of eight steps, on batches of five rows of unequal length."""
    return Run(RECIPES[name], 8, changes=SMALL, processes=processes)


def trained(name, processes=ALONE):
    """Losses, norms and weights of a training, and what was drawn for dropout."""
    run, drawn = make(name, processes), []

    def draw_as_dropout_would(model, inputs, output):
        if model.training:
            drawn.append(torch.rand(4))

    run.state.model.register_forward_hook(draw_as_dropout_would)
    list(run)
    return {
        "parts": [dict(r.parts) for r in run.records],
        "norms": [r.grad_norm for r in run.records],
        "measured": [dict(r.measured) for r in run.records],
        "weights": dict(run.state.model.state_dict()),
        "drawn": drawn,
    }


def first_gradients(name, processes=ALONE):
    """Values and gradients of the first batch, in double precision."""
    run = make(name, processes)
    model = run.state.model.double()
    batch = run.task.draw(model.config.max_seq_len, 5, generator_for(0, 1, "windows"))
    losses = run.task.losses(model, batch)
    sum(losses.values()).backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    return {"values": {k: v.detach() for k, v in losses.items()}, "gradients": gradients}


def main(folder):
    torch.set_num_threads(1)
    with joined() as processes:
        found = {f"{what.__name__} {name}": what(name, processes)
                 for what in (trained, first_gradients) for name in RECIPES}  # fmt: skip
        torch.save(found, folder / f"{processes.rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
