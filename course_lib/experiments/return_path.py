"""What a sublayer adds to the stream and what it sends back; and stacks that send nothing back."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import require_number, require_whole
from course_lib.experiments.gradient_flow import (
    LENGTH,
    N_TEXTS,
    POST,
    GradientFlow,
    Stack,
    build_blocks,
    measure,
)
from course_lib.experiments.residual_variance import mean_square
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm

ATTENTION, FEED_FORWARD = SUBLAYERS = ("attention", "feed-forward")


@dataclass(frozen=True)
class Exchange:
    """One sublayer: what it adds to a stream of variance 1, and what it returns of a gradient.

    Args:
        added: variance of what it adds.
        private: square of the gradient that comes back through it over that of the gradient that
            went in, for a gradient that differs from token to token (with mean 0).
        shared: the same for a gradient that is alike at all tokens.
    """

    added: float
    private: float
    shared: float


@dataclass(frozen=True)
class CutFlow:
    """Gradients in a stack in which some sublayers return none.

    Args:
        flow: the gradients.
        added: mean square of what each sublayer adds to the stream; it is the same, cut or not.
    """

    flow: GradientFlow
    added: Float[Tensor, "layer sublayer"]


def exchange(
    start: str, sublayer: str, likeness: float, *, width: int = 256, seed: int = 0
) -> Exchange:
    """Measure one sublayer of a Post-LN block, all tokens visible.

    Args:
        start: how its weights are drawn.
        sublayer: one of SUBLAYERS.
        likeness: cosine between any two tokens that it reads, from 0 to 1.
        width: of the residual stream.
        seed: all random numbers follow from it.
    """
    _require_sublayers([sublayer])
    require_number(likeness=likeness)
    if not 0 <= likeness <= 1:
        raise ValueError(f"likeness must be from 0 to 1, got {likeness}")
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    (block,) = build_blocks(Stack(POST, start, depth=1, width=width), generator)
    common, own = (torch.randn(N_TEXTS, n, width, generator=generator) for n in (1, LENGTH))
    x = layer_norm(likeness**0.5 * common + (1 - likeness) ** 0.5 * own).requires_grad_()
    y = _module(block, sublayer)(x)
    g = torch.randn(N_TEXTS, LENGTH, width, generator=generator)
    shared = g.mean(dim=1, keepdim=True).expand_as(g)

    def returned(up: Tensor) -> float:
        (down,) = torch.autograd.grad(y, x, up, retain_graph=True)
        return (down.square().sum() / up.square().sum()).item()

    return Exchange(mean_square(y.detach()), returned(g - shared), returned(shared))


def cut_flow(stack: Stack, cut: Sequence[str] = SUBLAYERS, seed: int = 0) -> CutFlow:
    """Measure a stack as `gradient_flow` does, while the sublayers named return no gradient.

    What they read is detached from the stream, so every value on the way up stays as it is.
    """
    _require_sublayers(cut)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    blocks = build_blocks(stack, generator)
    x = stack.input_std * torch.randn(N_TEXTS, LENGTH, stack.width, generator=generator)
    visible = causal_mask(LENGTH) if stack.causal else None
    with _watched(blocks, cut) as added:
        flow = measure(blocks, x, lambda block, x: block(x, visible), generator)
    return CutFlow(flow, torch.tensor(added).view(stack.depth, len(SUBLAYERS)))


def popular_law(added: Float[Tensor, "layer sublayer"]) -> Float[Tensor, " place"]:
    """Foretell the stream's gradient in Post-LN, relative to the top, if nothing were returned.

    Each sublayer that adds the variance v then takes the factor 1 / sqrt(1 + v).
    """
    by_block = (1 + added).rsqrt().prod(dim=1)
    return torch.cat([by_block.flip(0).cumprod(0).flip(0), by_block.new_ones(1)])


@contextmanager
def _watched(blocks: nn.ModuleList, cut: Sequence[str]) -> Iterator[list[float]]:
    """Note what each sublayer adds, and detach what those named read."""
    added: list[float] = []
    hooks = []
    for block in blocks:
        for name in SUBLAYERS:
            module = _module(block, name)
            hooks.append(module.register_forward_hook(lambda *seen: added.append(_size(seen[-1]))))
            if name in cut:
                hooks.append(module.register_forward_pre_hook(_detached))
    try:
        yield added
    finally:
        for hook in hooks:
            hook.remove()


def _detached(module: nn.Module, inputs: tuple) -> tuple:
    """The same values for a sublayer to read, without a way back."""
    return inputs[0].detach(), *inputs[1:]


def _size(y: Tensor) -> float:
    return mean_square(y.detach())


def _module(block: nn.Module, sublayer: str) -> Callable[..., Tensor]:
    return block.attn if sublayer == ATTENTION else block.ffn


def _require_sublayers(names: Sequence[str]) -> None:
    for name in names:
        if name not in SUBLAYERS:
            raise ValueError(f"a sublayer must be one of {SUBLAYERS}, got {name!r}")
