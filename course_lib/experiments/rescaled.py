"""Gradients multiplied by one number throughout a run: who notices?"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.copy_task import copier_config, copy_texts
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.gpt import GPT
from course_lib.optim.clipping import clip_by_global_norm


def weights_after(
    make_optimiser: Callable,
    scale: float = 1.0,
    max_norm: float = math.inf,
    *,
    n_steps: int = 20,
    seed: int = 0,
) -> Float[Tensor, " weight"]:
    """Train a small GPT in float64 on the copy task and return all its weights, end to end.

    Args:
        make_optimiser: from the parameters to an optimiser of torch.
        scale: every gradient of every step is multiplied by it.
        max_norm: and then clipped to this.
        n_steps: updates.
        seed: of the weights and of the texts.
    """
    require_number(scale=scale)
    require_whole(1, n_steps=n_steps)
    require_whole(0, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT(copier_config(d_model=32)).double()
    parameters = list(model.parameters())
    optimiser = make_optimiser(parameters)
    texts = torch.Generator().manual_seed(seed)
    for _ in range(n_steps):
        token_ids, targets = copy_texts(texts, 8)
        optimiser.zero_grad()
        cross_entropy(model(token_ids), targets).backward()
        for p in parameters:
            p.grad *= scale
        clip_by_global_norm(parameters, max_norm)
        optimiser.step()
    return torch.cat([p.detach().flatten() for p in parameters])
