"""Published checkpoints: the only file that knows other people's names for our parts."""

import re
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from course_lib.mechanisms.require import require_floats
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
        TypeError: if one of them is not a tensor of floats.
        ValueError: if a tensor is missing, has another shape, or has no place in the model.
            The model is unchanged after any of these errors.
    """
    published = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    _require_no_more_layers(published, model.config.n_layers)
    ours = dict(_gpt2_in_our_names(published, model.config.n_layers))
    head = _take(published, "lm_head.weight" if "lm_head.weight" in published else "wte.weight")
    if not model.config.tie_embeddings:
        ours["lm_head.weight"] = head
    elif not torch.equal(head, ours["tokens.weight"]):
        raise ValueError("tensors must hold one table: lm_head.weight differs from wte.weight, "
                         "and the model has tie_embeddings=True")  # fmt: skip
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
            for name, part in zip("qkv", joined.tensor_split(3, dim=-1), strict=True):
                yield f"blocks.{layer}.attn.{name}_proj.{kind}", _turned(part)


def _require_no_more_layers(published: Mapping[str, Tensor], n_layers: int) -> None:
    """Raise if the checkpoint is of a deeper model: half of it would be another model."""
    numbers = {int(found[1]) for name in published if (found := re.match(r"h\.(\d+)\.", name))}
    if numbers and max(numbers) >= n_layers:
        raise ValueError(
            f"tensors must be of a model with n_layers={n_layers}, got {max(numbers) + 1} layers"
        )


def _turned(tensor: Tensor) -> Tensor:
    """Transpose a matrix, leave a vector."""
    return tensor.T if tensor.ndim == 2 else tensor


def _take(published: Mapping[str, Tensor], name: str) -> Tensor:
    """Look a tensor up, or say which one is missing."""
    if name not in published:
        raise ValueError(f"tensors must hold {name!r} of a GPT-2 checkpoint; it is missing")
    require_floats(1, **{name: published[name]})
    if published[name].is_meta:
        raise TypeError(f"{name} must hold numbers, got a meta tensor: a shape alone")
    return published[name]
