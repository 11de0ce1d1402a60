"""Almost the published model: one thing otherwise, and how far each layer is off (lesson 64)."""

import copy
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.experiments.inside import look_inside
from course_lib.mechanisms.activations import gelu_tanh
from course_lib.mechanisms.norms import LayerNorm
from course_lib.models.bert import Bert


def _other_eps(model: Bert) -> None:
    for module in model.modules():
        if isinstance(module, LayerNorm):
            module.eps = 1e-5


def _tanh_gelu(model: Bert) -> None:
    for block in model.blocks:
        block.ffn.activation = gelu_tanh


def _from_one(model: Bert) -> None:
    table = model.embedding.positions.weight
    table.copy_(table.roll(-1, dims=0))


def _no_segments(model: Bert) -> None:
    model.embedding.segments.weight.zero_()


def _turned(model: Bert) -> None:
    for block in model.blocks:
        block.attn.out_proj.weight.copy_(block.attn.out_proj.weight.T.clone())


NEAR_MISSES: dict[str, Callable[[Bert], None]] = {
    "GPT-2's 1e-5 in the norms": _other_eps,
    "GELU in its tanh form": _tanh_gelu,
    "places counted from 1": _from_one,
    "segments left out": _no_segments,
    "output matrices not turned": _turned,
}


@torch.no_grad()
def near_misses(
    model: Bert,
    token_ids: Int[Tensor, "1 seq"],
    names: tuple[str, ...] = tuple(NEAR_MISSES),
    reference: Float[Tensor, "layers seq first"] | None = None,
) -> dict[str, Float[Tensor, " layers"]]:
    """Change one thing in a copy of the model, and see how far its stream is off in each layer.

    Args:
        model: what is copied.
        token_ids: the text.
        names: which changes of ``NEAR_MISSES``.
        reference: the first numbers of every token behind the embedding and each layer, such as
            the published code gives them; None compares with the model itself.

    Returns:
        For each change the largest difference of a number behind the embedding and behind each
        layer.  A change that the model has no place for is left out.
    """
    true = look_inside(model, token_ids).hidden if reference is None else reference
    found = {}
    for name in names:
        if name not in NEAR_MISSES:
            raise ValueError(f"names must be among {', '.join(NEAR_MISSES)}; got {name!r}")
        if NEAR_MISSES[name] is _from_one and model.embedding.positions is None:
            continue
        changed = copy.deepcopy(model)
        NEAR_MISSES[name](changed)
        stream = look_inside(changed, token_ids).hidden[..., : true.shape[-1]]
        found[name] = differences(stream, true)
    return found


@torch.no_grad()
def norm_variances(model: Bert, token_ids: Int[Tensor, "1 seq"]) -> list[float]:
    """Return the smallest variance that each layer norm meets in this text, embedding first."""
    found = []

    def look(_: LayerNorm, read: tuple[Tensor]) -> None:
        found.append(read[0].var(dim=-1, correction=0).min().item())

    norms = [module for module in model.modules() if isinstance(module, LayerNorm)]
    handles = [norm.register_forward_pre_hook(look) for norm in norms]
    try:
        model(token_ids)
    finally:
        for handle in handles:
            handle.remove()
    return found


def differences(
    one: Float[Tensor, "layers *rest"], other: Float[Tensor, "layers *rest"]
) -> Float[Tensor, " layers"]:
    """Return the largest difference of a number in each layer."""
    return (one - other).abs().flatten(1).amax(dim=1)
