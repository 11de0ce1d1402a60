"""Published checkpoints: the only file that knows other people's names for our parts."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from course_lib.models.gpt import GPT

# GPT-2 keeps each matrix as [d_in, d_out]; nn.Linear keeps [d_out, d_in].
_GPT2_BLOCK = {
    "ln_1.weight": "norm_1.weight",
    "ln_1.bias": "norm_1.bias",
    "ln_2.weight": "norm_2.weight",
    "ln_2.bias": "norm_2.bias",
    "attn.c_proj.weight": "attn.out_proj.weight",
    "attn.c_proj.bias": "attn.out_proj.bias",
    "mlp.c_fc.weight": "ffn.widen.weight",
    "mlp.c_fc.bias": "ffn.widen.bias",
    "mlp.c_proj.weight": "ffn.narrow.weight",
    "mlp.c_proj.bias": "ffn.narrow.bias",
}
_GPT2_ENDS = {
    "wte.weight": "tokens.weight",
    "wpe.weight": "positions.weight",
    "ln_f.weight": "final_norm.weight",
    "ln_f.bias": "final_norm.bias",
}


def load_gpt2(model: GPT, tensors: Mapping[str, Tensor]) -> None:
    """Copy the tensors of a published GPT-2 checkpoint into our model.

    Args:
        model: a GPT of the same sizes.
        tensors: by their published names, with or without the prefix ``transformer.``.

    Raises:
        ValueError: if a tensor is missing or has another shape; the model is then unchanged.
    """
    published = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    ours = dict(_gpt2_in_our_names(published, model.config.n_layers))
    if not model.config.tie_embeddings:
        ours["lm_head.weight"] = published.get("lm_head.weight", ours["tokens.weight"])
    parameters = dict(model.named_parameters())
    for name, parameter in parameters.items():
        if ours[name].shape != parameter.shape:
            raise ValueError(
                f"tensors must fit the model: {name} needs {tuple(parameter.shape)}, "
                f"got {tuple(ours[name].shape)}"
            )
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(ours[name])


def _gpt2_in_our_names(
    published: Mapping[str, Tensor], n_layers: int
) -> Iterator[tuple[str, Tensor]]:
    """Yield each tensor under our name, turned the way that nn.Linear keeps it."""
    for theirs, ours in _GPT2_ENDS.items():
        yield ours, _take(published, theirs)
    for layer in range(n_layers):
        for theirs, ours in _GPT2_BLOCK.items():
            yield f"blocks.{layer}.{ours}", _turned(_take(published, f"h.{layer}.{theirs}"))
        for kind in ("weight", "bias"):
            # c_attn holds query, key and value side by side in its last axis.
            joined = _take(published, f"h.{layer}.attn.c_attn.{kind}")
            for name, part in zip("qkv", joined.chunk(3, dim=-1), strict=True):
                yield f"blocks.{layer}.attn.{name}_proj.{kind}", _turned(part)


def _turned(tensor: Tensor) -> Tensor:
    """Transpose a matrix, leave a vector."""
    return tensor.T if tensor.ndim == 2 else tensor


def _take(published: Mapping[str, Tensor], name: str) -> Tensor:
    """Look a tensor up, or say which one is missing."""
    if name not in published:
        raise ValueError(f"tensors must hold {name!r} of a GPT-2 checkpoint; it is missing")
    return published[name]
