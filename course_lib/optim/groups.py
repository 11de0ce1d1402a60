"""Groups of parameters: which weights decay, and which are spared."""

from collections.abc import Iterable, Mapping

import torch
from torch import nn

from course_lib.config import TrainConfig
from course_lib.optim.muon import Muon

# With fewer the steps grow uneven, with more the update costs as much as the gradient.
MUON_ITERATIONS = 3


def build_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """Set up the optimiser that a configuration names: "adamw", "muon" or "muon by head"."""
    return (build_adamw if config.optimizer == "adamw" else build_muon)(model, config)


def build_muon(model: nn.Module, config: TrainConfig) -> Muon:
    """Set Muon up for the matrices of a model's blocks, and AdamW for all else.

    A token table and an output layer are matrices too, but each of their rows belongs to one
    token, and an update sees few of them; Jordan leaves both to AdamW.  By head, what makes the
    queries, keys or values of several heads counts as one matrix for each: no head's gradient
    then makes another's step shorter, and small matrices are cheaper to orthogonalise.

    Args:
        model: its blocks are what stands in a ``ModuleList``.
        config: rate, betas, eps and weight decay; the decay is for all matrices.

    Raises:
        ValueError: if there is no matrix in a block.
    """
    hidden = {
        id(layer.weight): layer.weight
        for stack in model.modules() if isinstance(stack, nn.ModuleList)
        for layer in stack.modules()
        if isinstance(layer, nn.Linear) and layer.weight.requires_grad
    }  # fmt: skip
    if not hidden:
        raise ValueError("model must have linear layers in a ModuleList of blocks, got none")
    others = [p for p in model.parameters() if p.requires_grad and id(p) not in hidden]
    by_head = _by_head(model) if config.optimizer == "muon by head" else {}
    return Muon(
        _by_parts(hidden.values(), by_head), _groups(others, config.weight_decay), lr=config.lr,
        betas=config.betas, eps=config.adam_eps, weight_decay=config.weight_decay,
        n_iterations=MUON_ITERATIONS,
    )  # fmt: skip


def _by_head(model: nn.Module) -> dict[int, int]:
    """Ask every module which of its weights hold a matrix for each head, and how many."""
    return {
        id(weight): n for module in model.modules() if hasattr(module, "stacked_by_head")
        for weight, n in module.stacked_by_head()
    }  # fmt: skip


def _by_parts(matrices: Iterable[nn.Parameter], n_parts: Mapping[int, int]) -> list[dict]:
    """Sort matrices by how many stand one below the other in each."""
    groups: dict[int, list[nn.Parameter]] = {}
    for matrix in matrices:
        groups.setdefault(n_parts.get(id(matrix), 1), []).append(matrix)
    return [{"params": params, "n_parts": n} for n, params in sorted(groups.items())]


def build_adamw(model: nn.Module, config: TrainConfig) -> torch.optim.AdamW:
    """Set torch's AdamW up for a model: weight decay for the matrices, none for the vectors.

    Layer-norm gains and biases are vectors; pulling them to 0 would fight what they are for.
    The optimiser is ``torch.optim.AdamW`` with its fused update, not ours: both agree (a test
    holds it), but ours passes over memory nine times where the fused one does once, and a whole
    training step of the course's GPT on a CPU takes about 5 % longer with it.

    Args:
        model: its trainable parameters are sorted into the two groups by their number of axes.
        config: rate, betas, eps and weight decay.

    Returns:
        An optimiser with the groups "decay" and "no decay"; the training loop sets its rate
        before every update.

    Raises:
        ValueError: if the model has nothing to train.

    Source:
        Loshchilov and Hutter 2019, algorithm 2.  Which tensors to spare is custom (BERT's
        released code spares layer norms and biases), not part of the paper.
    """
    trainable = [p for p in model.parameters() if p.requires_grad]  # a shared tensor comes once
    if not trainable:
        raise ValueError("model must have at least one trainable parameter, got none")
    return torch.optim.AdamW(
        _groups(trainable, config.weight_decay),
        lr=config.lr,
        betas=(float(config.betas[0]), float(config.betas[1])),  # torch refuses (0, 0)
        eps=config.adam_eps,
        # One pass over memory instead of nine: a third of the update's time on a CPU.
        fused=True,
    )


def _groups(parameters: list[nn.Parameter], weight_decay: float) -> list[dict]:
    """Sort into those that decay and those that are spared; a group without members is none."""
    groups = [
        {"name": "decay", "params": [p for p in parameters if p.ndim >= 2],
         "weight_decay": weight_decay},
        {"name": "no decay", "params": [p for p in parameters if p.ndim < 2],
         "weight_decay": 0.0},
    ]  # fmt: skip
    return [group for group in groups if group["params"]]
