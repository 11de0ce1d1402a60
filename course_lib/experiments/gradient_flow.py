"""Where gradients go in a deep stack at the start of training (lesson 33)."""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import normalize

from course_lib.config import BertConfig, GPTConfig, require_number, require_whole
from course_lib.experiments.starts import draw_weights, require_start
from course_lib.mechanisms.blocks import PostNormBlock, PreNormBlock
from course_lib.mechanisms.losses import cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm

POST, PRE = PLACEMENTS = ("Post-LN", "Pre-LN")
MATRICES = ("Q", "K", "V", "O", "W1", "W2")
DEPTHS = (2, 12, 48)
N_TEXTS, LENGTH, N_CLASSES = 4, 32, 64
EPS = 1e-5  # one for both placements, so that nothing else differs


@dataclass(frozen=True)
class Stack:
    """Which blocks stand on top of each other, and how their weights are drawn.

    Args:
        placement: where the layer norms stand, one of PLACEMENTS.
        start: how weights are drawn, one of ``starts.STARTS``.
        causal: True hides the future, as in GPT; False shows everything, as in BERT.
        depth: number of blocks.
        width: of the residual stream.
        gain: every matrix is multiplied by this.
        input_std: standard deviation of what enters the first block.
    """

    placement: str
    start: str = "normal"
    causal: bool = False
    depth: int = 12
    width: int = 256
    gain: float = 1.0
    input_std: float = 1.0

    def __post_init__(self):
        if self.placement not in PLACEMENTS:
            raise ValueError(f"placement must be one of {PLACEMENTS}, got {self.placement!r}")
        require_start(self.start)
        require_whole(1, depth=self.depth, width=self.width)
        require_number(gain=self.gain, input_std=self.input_std)
        if self.input_std <= 0:
            raise ValueError(f"input_std must be > 0, got {self.input_std}")


@dataclass(frozen=True)
class GradientFlow:
    """Sizes of gradients after one backward pass; layer 0 is the bottom, next to the input.

    Args:
        weights: norm of the gradient of each matrix, in the order of MATRICES.
        positions: norm of the gradient with respect to the residual stream, by place and by
            position in the text; place 0 is the input, place ``depth`` what the last block leaves.
        private: norm of what is left of that gradient at each place, without the part that all
            tokens of a text share (their mean).
        variance: mean square of the stream's entries at each place.
        apart: 1 minus the mean cosine between two tokens of a text, at each place.
    """

    weights: Float[Tensor, "layer matrix"]
    positions: Float[Tensor, "place seq"]
    private: Float[Tensor, " place"]
    variance: Float[Tensor, " place"]
    apart: Float[Tensor, " place"]

    def bottom_over_top(self, matrix: str) -> float:
        """The gradient of this matrix in the first block, divided by that in the last."""
        column = self.weights[:, MATRICES.index(matrix)]
        return (column[0] / column[-1]).item()

    @property
    def stream(self) -> Float[Tensor, " place"]:
        """Norm of the gradient with respect to the whole stream, at each place."""
        return self.positions.norm(dim=1)

    @property
    def likeness(self) -> Float[Tensor, " place"]:
        """The mean cosine between two tokens of a text, at each place."""
        return 1 - self.apart

    @property
    def stream_ratio(self) -> float:
        """The gradient where the stream begins, divided by that where it ends."""
        return (self.stream[0] / self.stream[-1]).item()


@dataclass(frozen=True)
class SweepStep:
    """One stack of a sweep and what was measured; ``step`` counts from 1."""

    step: int
    stack: Stack
    flow: GradientFlow


def build_blocks(stack: Stack, generator: torch.Generator) -> nn.ModuleList:
    """Make the blocks of a stack, with weights drawn as it says."""
    first = empty_block(stack.placement, stack.width)
    # A copy costs less than a block whose random weights are drawn and then thrown away.
    blocks = nn.ModuleList([first, *(copy.deepcopy(first) for _ in range(stack.depth - 1))])
    draw_weights(blocks, stack.start, stack.depth, generator, stack.gain)
    return blocks


def empty_block(placement: str, width: int) -> PreNormBlock | PostNormBlock:
    """One block of the course at this width, with heads of 64 numbers where the width allows."""
    shape = {"d_model": width, "n_layers": 1, "n_heads": max(1, width // 64), "norm_eps": EPS}
    if placement == PRE:
        return PreNormBlock(GPTConfig(1, 1, **shape))
    return PostNormBlock(BertConfig(1, 1, **shape))


def gradient_flow(stack: Stack, seed: int = 0) -> GradientFlow:
    """Push random vectors through a fresh stack, guess random classes, and go back once.

    On top stands a layer norm (Pre-LN ends with one in GPT, too) and a random linear layer; the
    loss is the cross-entropy over all positions.

    Cost:
        about 18 * depth * width^2 * 4 floating-point operations for each of the 128 positions.
    """
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    return _flow(stack, build_blocks(stack, generator), generator)


def _flow(stack: Stack, blocks: nn.ModuleList, generator: torch.Generator) -> GradientFlow:
    """Measure blocks that are built, with the mask and the input of this stack."""
    x = stack.input_std * torch.randn(N_TEXTS, LENGTH, stack.width, generator=generator)
    visible = causal_mask(LENGTH) if stack.causal else None
    return measure(blocks, x, lambda block, x: block(x, visible), generator)


def measure(
    blocks: nn.ModuleList,
    x: Float[Tensor, "batch seq d_model"],
    step: Callable[[nn.Module, Tensor], Tensor],
    generator: torch.Generator,
) -> GradientFlow:
    """Run any stack on ``x``, one ``step(block, x)`` after the other, and back from a loss."""
    places = [x.requires_grad_()]
    for block in blocks:
        places.append(step(block, places[-1]))
    loss = random_loss(places[-1], generator)
    matrices = [matrix.weight for block in blocks for matrix in _matrices(block)]
    gradients = torch.autograd.grad(loss, [*places, *matrices])
    stream, weights = gradients[: len(places)], gradients[len(places) :]
    return GradientFlow(
        weights=torch.stack([g.norm() for g in weights]).view(len(blocks), len(MATRICES)),
        positions=torch.stack([g.norm(dim=(0, 2)) for g in stream]),
        private=torch.stack([(g - g.mean(dim=1, keepdim=True)).norm() for g in stream]),
        variance=torch.stack([place.detach().square().mean() for place in places]),
        apart=torch.stack([apart(place.detach()) for place in places]),
    )


def random_loss(
    x: Float[Tensor, "batch seq d_model"], generator: torch.Generator
) -> Float[Tensor, ""]:
    """Return the cross-entropy of random targets, from a random linear layer on top of ``x``."""
    width = x.shape[-1]
    head = torch.randn(width, N_CLASSES, generator=generator) / math.sqrt(width)
    targets = torch.randint(N_CLASSES, x.shape[:2], generator=generator)
    return cross_entropy(layer_norm(x, eps=EPS) @ head, targets)


def apart(x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, ""]:
    """Return 1 minus the mean cosine between two different tokens of one text; 0 if all are alike.

    From the distances to the mean, in float64: 1 minus a cosine would round to 0 too early.
    """
    unit = normalize(x.double(), dim=-1)
    n = x.shape[1]
    return (unit - unit.mean(dim=1, keepdim=True)).square().sum(dim=-1).mean() * n / (n - 1)


def sweep(
    depths: Sequence[int] = DEPTHS,
    starts: Sequence[str] = ("normal",),
    placements: Sequence[str] = PLACEMENTS,
    masks: Sequence[bool] = (False, True),
    width: int = 256,
    seed: int = 0,
) -> Iterator[SweepStep]:
    """Measure every combination, and hand each out as soon as it is there."""
    stacks = [
        Stack(placement, start, causal, depth, width)
        for depth, start, placement, causal in product(depths, starts, placements, masks)
    ]
    require_whole(0, seed=seed)
    return _sweep(stacks, seed)


def _sweep(stacks: Sequence[Stack], seed: int) -> Iterator[SweepStep]:
    """Measure each as `gradient_flow` does; stacks that differ in their mask share the weights."""
    drawn, generator = None, torch.Generator()
    for step, stack in enumerate(stacks, 1):
        weights = replace(stack, causal=False)
        if weights != drawn:
            blocks = build_blocks(stack, generator.manual_seed(seed))
            drawn, behind_weights = weights, generator.get_state()
        generator.set_state(behind_weights)
        yield SweepStep(step, stack, _flow(stack, blocks, generator))


def _matrices(block: nn.Module) -> tuple[nn.Linear, ...]:
    """The six matrices of a block in the order of MATRICES."""
    attn, ffn = block.attn, block.ffn
    return attn.q_proj, attn.k_proj, attn.v_proj, attn.out_proj, ffn.widen, ffn.narrow
