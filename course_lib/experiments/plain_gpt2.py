"""GPT-2 in the fewest words: read straight from a file's tensors, with PyTorch's own parts."""

from collections.abc import Mapping

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional


@torch.no_grad()
def plain_gpt2(
    tensors: Mapping[str, Tensor],
    token_ids: Int[Tensor, "batch seq"],
    n_heads: int,
    eps: float = 1e-5,
) -> tuple[Float[Tensor, "layers batch seq d_model"], Float[Tensor, "batch seq vocab"]]:
    """Compute what a GPT-2 file says about a text, without any class of this course.

    Args:
        tensors: by their published names, without the prefix ``transformer.``.
        token_ids: the texts.
        n_heads: stands in no tensor's shape.
        eps: added to the variance in the norms; neither does this.

    Returns:
        The stream behind the embedding and behind each layer (the last one normalised), and the
        scores of the next token.

    Source:
        Radford et al. 2019, section 2.3, and the names of the released code.
    """

    def times(x: Tensor, name: str) -> Tensor:
        return x @ tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    def norm(x: Tensor, name: str) -> Tensor:
        gain, shift = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
        return functional.layer_norm(x, gain.shape, gain, shift, eps)

    x = tensors["wte.weight"][token_ids] + tensors["wpe.weight"][: token_ids.shape[1]]
    hidden, block = [x], 0
    while f"h.{block}.ln_1.weight" in tensors:
        name = f"h.{block}"
        joined = times(norm(x, f"{name}.ln_1"), f"{name}.attn.c_attn")
        q, k, v = (
            part.unflatten(-1, (n_heads, -1)).transpose(1, 2) for part in joined.chunk(3, dim=-1)
        )
        z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + times(z.transpose(1, 2).flatten(2), f"{name}.attn.c_proj")
        wide = functional.gelu(
            times(norm(x, f"{name}.ln_2"), f"{name}.mlp.c_fc"), approximate="tanh"
        )
        x = x + times(wide, f"{name}.mlp.c_proj")
        hidden.append(x)
        block += 1
    hidden[-1] = norm(x, "ln_f")
    return torch.stack(hidden), hidden[-1] @ tensors["wte.weight"].T
