"""How much of its input a fresh Post-LN stack still holds (lesson 34)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.fresh_stack import fresh_blocks
from course_lib.experiments.gradient_flow import POST
from course_lib.mechanisms.norms import layer_norm


@dataclass(frozen=True)
class InputLeft:
    """Variance of the stream's features, and its cosine with the input, after each block."""

    variances: Float[Tensor, " place"]
    cosines: Float[Tensor, " place"]


def input_left(
    writers: float = 1.0, n_layers: int = 12, *, d_model: int = 256, seed: int = 0
) -> InputLeft:
    """Send normalised random tokens up a fresh Post-LN stack that sees all of them, as in BERT.

    Args:
        writers: multiplies the matrices that write to the stream; all others are as published.
    """
    require_number(writers=writers)
    require_whole(1, n_layers=n_layers, d_model=d_model)
    generator = torch.Generator().manual_seed(seed)
    start = layer_norm(torch.randn(2, 32, d_model, generator=generator))
    places = [start]
    with torch.no_grad():
        for block in fresh_blocks(POST, d_model, n_layers, "normal", generator):
            for matrix in (block.attn.out_proj, block.ffn.narrow):
                matrix.weight.mul_(writers)
            places.append(block(places[-1]))
    cosines = [torch.cosine_similarity(place, start, dim=-1).mean() for place in places]
    variances = [place.var(dim=-1, correction=0).mean() for place in places]
    return InputLeft(torch.stack(variances), torch.stack(cosines))
