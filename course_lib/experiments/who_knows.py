"""Who can know what: six masks, and what gets through a stack of layers under them (lesson 22)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import GPTConfig, require_whole
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.masks import (
    causal_mask,
    combine,
    padding_mask,
    prefix_mask,
    window_mask,
)
from course_lib.mechanisms.require import require_bool

WORDS = ("the", "cat", "sat", "on", "it", "[PAD]", "[PAD]")
N_PREFIX, WINDOW = 2, 2
PADDING = "[PAD]"  # BERT's name for it


@dataclass(frozen=True)
class WhoKnows:
    """One mask, and what each position can know of each other one after some layers."""

    mask: str
    n_layers: int
    words: Sequence[str]
    visible: Bool[Tensor, "query key"]
    reached: Bool[Tensor, "query key"]
    influence: Float[Tensor, "query key"]


def masks_for(words: Sequence[str] = WORDS) -> dict[str, Bool[Tensor, "query key"]]:
    """Make the six masks of lesson 22 for one text; words that read ``[PAD]`` are padding."""
    real = torch.tensor([word != PADDING for word in words])
    seq_len, padding = len(real), padding_mask(real[None])
    causal = causal_mask(seq_len)
    return {
        "none": torch.ones(seq_len, seq_len, dtype=torch.bool),
        "causal": causal,
        "padding": padding[0, 0].expand(seq_len, seq_len).clone(),
        "causal + padding": combine(causal, padding)[0, 0],
        "prefix": prefix_mask(seq_len, min(N_PREFIX, seq_len)),
        "window": window_mask(seq_len, WINDOW),
    }


def reachable(visible: Bool[Tensor, "seq seq"], n_layers: int) -> Bool[Tensor, "seq seq"]:
    """Tell whether position i (row) can know anything of position j (column) after some layers.

    In each layer a position takes up what those it may read have known one layer below.  The
    residual stream carries its own past along, whether the mask lets it read itself or not.
    """
    _require_square(visible)
    require_whole(0, n_layers=n_layers)
    itself = torch.eye(len(visible), dtype=torch.bool)
    step, knows = (visible | itself).int(), itself.int()
    for _ in range(n_layers):
        knows = (step @ knows).clamp(max=1)
    return knows.bool()


def influence(
    visible: Bool[Tensor, "seq seq"], n_layers: int, seed: int = 0, d_model: int = 16
) -> Float[Tensor, "seq seq"]:
    """Measure how strongly the output at each position (row) reacts to each input (column).

    The stack is one of random blocks, as GPT's (a mask decides who is read, not the weights).
    The input is copied once for each number that comes out, so that a single backward pass
    gives the whole Jacobian, exactly.

    Returns:
        The size (Frobenius norm) of the Jacobian's part for each pair of positions.
    """
    _require_square(visible)
    require_whole(1, n_layers=n_layers, d_model=d_model)
    seq_len = len(visible)
    blocks = random_blocks(n_layers, d_model, seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(seq_len, d_model, generator=generator, dtype=torch.float64)
    copies = x.expand(seq_len * d_model, seq_len, d_model).clone().requires_grad_()
    out = copies
    for block in blocks:
        out = block(out, visible)
    one_each = out.flatten(1).diagonal().sum()  # copy n gives output number n
    (gradient,) = torch.autograd.grad(one_each, copies)
    return gradient.view(seq_len, d_model, seq_len, d_model).norm(dim=(1, 3))


def change_before(
    visible: Bool[Tensor, "seq seq"], first: int, n_layers: int, seed: int = 0, d_model: int = 16
) -> float:
    """Replace the inputs from position ``first`` on by others, a hundred times as large.

    A derivative looks at one input only, and can be 0 by saturation; this does not.

    Returns:
        The largest change of any output number before position ``first``.
    """
    _require_square(visible)
    require_whole(1, first=first, n_layers=n_layers, d_model=d_model)
    if first >= len(visible):
        raise ValueError(f"first must be < seq={len(visible)}, got {first}: nothing is replaced")
    generator = torch.Generator().manual_seed(seed)
    x, other = torch.randn(2, len(visible), d_model, generator=generator, dtype=torch.float64)
    out = torch.stack([x, torch.cat([x[:first], 100 * other[first:]])])
    for block in random_blocks(n_layers, d_model, seed):
        out = block(out, visible)
    return (out[1] - out[0])[:first].abs().max().item()


def random_blocks(n_layers: int, d_model: int, seed: int) -> nn.ModuleList:
    """Make blocks with PyTorch's random start, in float64; the same ones for the same seed."""
    config = GPTConfig(vocab_size=2, max_seq_len=1, d_model=d_model, n_layers=n_layers, n_heads=2)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        blocks = nn.ModuleList(PreNormBlock(config) for _ in range(n_layers))
    return blocks.double().requires_grad_(False)


def who_knows(mask: str, n_layers: int, words: Sequence[str] = WORDS) -> WhoKnows:
    """Put one of the masks of :func:`masks_for` into a stack, and measure what gets through.

    Raises:
        ValueError: if there is no mask of that name.
    """
    masks = masks_for(words)
    if mask not in masks:
        raise ValueError(f"mask must be one of {', '.join(masks)}; got {mask!r}")
    visible = masks[mask]
    reached = reachable(visible, n_layers)
    return WhoKnows(mask, n_layers, words, visible, reached, influence(visible, n_layers))


def _require_square(visible: object) -> None:
    """Raise unless ``visible`` says of each position whether it may read each other one."""
    require_bool(visible=visible)
    if visible.ndim != 2 or visible.shape[0] != visible.shape[1]:
        raise ValueError(f"visible must have shape (seq, seq), got {tuple(visible.shape)}")
