"""GPT-2's published names."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from course_lib.models.checkpoints.published import (
    copy_into,
    renamed,
    require_no_more_layers,
    require_no_surplus,
    take,
)
from course_lib.models.gpt import GPT

# GPT-2 keeps each matrix as [d_in, d_out]; nn.Linear keeps [d_out, d_in].
_BLOCK = {
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
_ENDS = {
    "wte.weight": "tokens.weight",
    "wpe.weight": "positions.weight",
    "ln_f.weight": "final_norm.weight",
    "ln_f.bias": "final_norm.bias",
}
_JOINED = ("attn.c_attn.weight", "attn.c_attn.bias")  # query, key and value in one
_NOT_LEARNED = r"h\.\d+\.attn\.(masked_)?bias$"  # old files hold their causal masks too


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
    if not isinstance(model, GPT):
        raise TypeError(f"model must be a GPT, got {type(model).__name__}")
    if model.config.positions != "learned":
        raise ValueError(f"model must have learned positions, got {model.config.positions!r}")
    published = renamed(tensors, "transformer.")
    n_layers = model.config.n_layers
    require_no_more_layers(published, r"h\.(\d+)\.", n_layers)
    ours = dict(_in_our_names(published, n_layers))
    head = take(published, "lm_head.weight" if "lm_head.weight" in published else "wte.weight",
                "GPT-2")  # fmt: skip
    if not model.config.tie_embeddings:
        ours["lm_head.weight"] = head
    elif not torch.equal(head, ours["tokens.weight"]):
        raise ValueError("tensors must hold one table: lm_head.weight differs from wte.weight, "
                         "and the model has tie_embeddings=True")  # fmt: skip
    a_block = (*_BLOCK, *_JOINED)
    known = {f"h.{layer}.{name}" for layer in range(n_layers) for name in a_block}
    require_no_surplus(published, known | {*_ENDS, "lm_head.weight"}, _NOT_LEARNED)
    copy_into(model, ours)


def _in_our_names(published: Mapping[str, object], n_layers: int) -> Iterator[tuple[str, Tensor]]:
    """Yield each tensor under our name, turned the way that nn.Linear keeps it."""
    for theirs, ours in _ENDS.items():
        yield ours, take(published, theirs, "GPT-2")
    for layer in range(n_layers):
        for theirs, ours in _BLOCK.items():
            tensor = take(published, f"h.{layer}.{theirs}", "GPT-2")
            yield f"blocks.{layer}.{ours}", _turned(tensor)
        for theirs in _JOINED:
            kind = theirs.rpartition(".")[2]
            # c_attn holds query, key and value side by side in its last axis.
            joined = take(published, f"h.{layer}.{theirs}", "GPT-2")
            for name, part in zip("qkv", joined.tensor_split(3, dim=-1), strict=True):
                yield f"blocks.{layer}.attn.{name}_proj.{kind}", _turned(part)


def _turned(tensor: Tensor) -> Tensor:
    """Transpose a matrix, leave a vector."""
    return tensor.T if tensor.ndim == 2 else tensor
