"""GPT-2's published names."""

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.config import GPTConfig
from course_lib.models.checkpoints.fit import fill, take
from course_lib.models.checkpoints.names import Stored, renamed, require_fields
from course_lib.models.gpt import GPT

PREFIX = "transformer."
_NORMS = {"ln_1": "norm_1", "ln_2": "norm_2"}
# GPT-2 keeps each matrix as [d_in, d_out]; nn.Linear keeps [d_out, d_in].  Query, key and value
# are one matrix, side by side in its last axis.
_MATRICES = {
    "attn.c_attn": ("attn.q_proj", "attn.k_proj", "attn.v_proj"),
    "attn.c_proj": ("attn.out_proj",),
    "mlp.c_fc": ("ffn.widen",),
    "mlp.c_proj": ("ffn.narrow",),
}
_ENDS = {
    "wte.weight": "tokens.weight",
    "wpe.weight": "positions.weight",
    "ln_f.weight": "final_norm.weight",
    "ln_f.bias": "final_norm.bias",
}
_NOT_LEARNED = r"h\.\d+\.attn\.(masked_)?bias$"  # old files hold their causal masks too


def load_gpt2(model: GPT, tensors: Mapping[str, Tensor]) -> None:
    """Copy the tensors of a published GPT-2 checkpoint into our model.

    Args:
        model: a GPT of the same sizes.
        tensors: by their published names, with or without the prefix ``transformer.``.

    Raises:
        TypeError: if one of them is not a tensor of floats.
        Misfit: if tensors are missing, left over or of another shape; it lists all of them.
        ValueError: if the model is not built as GPT-2.
            The model is unchanged after any of these errors.
    """
    if not isinstance(model, GPT):
        raise TypeError(f"model must be a GPT, got {type(model).__name__}")
    published = renamed(tensors, PREFIX)
    names = gpt2_names(model.config)
    if model.config.tie_embeddings:
        _drop_equal_head(published)
    elif "lm_head.weight" not in published and "wte.weight" in published:
        published["lm_head.weight"] = published["wte.weight"]
    fill(model, published, names, _NOT_LEARNED)


def gpt2_names(config: GPTConfig) -> dict[str, Stored]:
    """Map each of GPT-2's names, without its prefix, to the parameters of ours that it holds.

    Raises:
        ValueError: if the shape is not GPT-2's, such as with rotary positions.
    """
    require_fields(config, "GPT-2", {
        "positions": "learned", "norm": "layer", "activation": "gelu", "biases": True,
        "qk_norm": False, "n_kv_heads": config.n_heads,
    })  # fmt: skip
    names = {theirs: Stored((ours,)) for theirs, ours in _ENDS.items()}
    for layer in range(config.n_layers):
        for kind in ("weight", "bias"):
            for theirs, ours in _NORMS.items():
                names[f"h.{layer}.{theirs}.{kind}"] = Stored((f"blocks.{layer}.{ours}.{kind}",))
            for theirs, parts in _MATRICES.items():
                ours = tuple(f"blocks.{layer}.{part}.{kind}" for part in parts)
                names[f"h.{layer}.{theirs}.{kind}"] = Stored(ours, turned=True)
    if not config.tie_embeddings:
        names["lm_head.weight"] = Stored(("lm_head.weight",))
    return names


def as_gpt2(model: GPT) -> dict[str, Tensor]:
    """Return a GPT's weights as a GPT-2 checkpoint holds them: their names, their layout.

    Raises:
        ValueError: if the model is not built as GPT-2.
    """
    parameters = dict(model.named_parameters())
    return {
        theirs if theirs == "lm_head.weight" else PREFIX + theirs: stored.pack(parameters)
        for theirs, stored in gpt2_names(model.config).items()
    }


def _drop_equal_head(published: dict[str, object]) -> None:
    """Take the second name of the token table away, sure that it is the same table."""
    if {"lm_head.weight", "wte.weight"} <= published.keys():
        if not torch.equal(take(published, "lm_head.weight"), take(published, "wte.weight")):
            raise ValueError(
                "tensors must hold one table: lm_head.weight differs from wte.weight, "
                "and the model has tie_embeddings=True"
            )
        del published["lm_head.weight"]
