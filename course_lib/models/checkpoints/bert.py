"""BERT's published names."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from course_lib.models.bert import Bert, BertPretraining
from course_lib.models.checkpoints.fit import fill, take
from course_lib.models.checkpoints.names import Stored, renamed, require_fields

# Layers and norms: each has a weight and a bias.
_BLOCK = {
    "attention.self.query": "attn.q_proj",
    "attention.self.key": "attn.k_proj",
    "attention.self.value": "attn.v_proj",
    "attention.output.dense": "attn.out_proj",
    "attention.output.LayerNorm": "norm_1",
    "intermediate.dense": "ffn.widen",
    "output.dense": "ffn.narrow",
    "output.LayerNorm": "norm_2",
}
_TABLES = {
    "embeddings.word_embeddings.weight": "embedding.tokens.weight",
    "embeddings.position_embeddings.weight": "embedding.positions.weight",
    "embeddings.token_type_embeddings.weight": "embedding.segments.weight",
}
_HEADS = {
    "pooler.dense": "pooler.dense",
    "cls.predictions.transform.dense": "mlm_head.dense",
    "cls.predictions.transform.LayerNorm": "mlm_head.norm",
    "cls.seq_relationship": "nsp_head.dense",
}
_OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
_TWINS = {  # one tensor each, that files of different ages hold under one name or under both
    "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}
_NOT_LEARNED = r"embeddings\.(position_ids|token_type_ids)$"


def load_bert(model: Bert | BertPretraining, tensors: Mapping[str, Tensor]) -> None:
    """Copy the tensors of a published BERT checkpoint into our model.

    Args:
        model: of the same sizes.  A ``Bert``, the encoder alone, leaves the heads of the
            checkpoint (``pooler.*``, ``cls.*``) where they are; a ``BertPretraining`` needs them.
        tensors: by their published names, with or without the prefix ``bert.``; layer norms may
            have the older ``gamma`` and ``beta``.

    Raises:
        TypeError: if one of them is not a tensor of floats.
        Misfit: if tensors are missing, left over or of another shape; it lists all of them.
        ValueError: if the model is not built as BERT.
            The model is unchanged after any of these errors.
    """
    names = bert_names(model)
    published = renamed(tensors, "bert.", _OLDER)
    whole = isinstance(model, BertPretraining)
    if whole:
        _join_twins(published)
    fill(model, published, names, _NOT_LEARNED if whole else rf"{_NOT_LEARNED}|pooler\.|cls\.")


def bert_names(model: Bert | BertPretraining) -> dict[str, Stored]:
    """Map each of BERT's names, without its prefix, to the parameter of ours that it holds.

    Raises:
        TypeError: if ``model`` is neither of the two.
        ValueError: if its shape is not BERT's, such as with rotary positions.
    """
    if not isinstance(model, Bert | BertPretraining):
        raise TypeError(f"model must be a Bert or a BertPretraining, got {type(model).__name__}")
    require_fields(model.config, "BERT", {"positions": "learned", "qk_norm": False})
    names = dict(_encoder_names(model.config.n_layers))
    if isinstance(model, BertPretraining):
        names = {theirs: f"bert.{ours}" for theirs, ours in names.items()} | _head_names()
    return {theirs: Stored((ours,)) for theirs, ours in names.items()}


def _encoder_names(n_layers: int) -> Iterator[tuple[str, str]]:
    """Yield the published and our name of everything in the encoder."""
    yield from _TABLES.items()
    yield from _weight_and_bias({"embeddings.LayerNorm": "embedding.norm"})
    for layer in range(n_layers):
        for theirs, ours in _weight_and_bias(_BLOCK):
            yield f"encoder.layer.{layer}.{theirs}", f"blocks.{layer}.{ours}"


def _head_names() -> dict[str, str]:
    """The published and our name of everything in the heads; the token table is not theirs."""
    return dict(_weight_and_bias(_HEADS)) | {"cls.predictions.bias": "mlm_head.decoder.bias"}


def _weight_and_bias(modules: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield both names of the two tensors in each of these modules."""
    for theirs, ours in modules.items():
        for kind in ("weight", "bias"):
            yield f"{theirs}.{kind}", f"{ours}.{kind}"


def _join_twins(published: dict[str, object]) -> None:
    """Leave each tensor that has two names under one; raise if they hold two tensors."""
    for one, other in _TWINS.items():
        if one in published and other in published:
            if not torch.equal(take(published, one), take(published, other)):
                raise ValueError(
                    f"tensors must hold one tensor under two names: {one} differs from {other}"
                )
        if one in published:
            tensor = published.pop(one)
            if other == "cls.predictions.bias":  # the token table has to be there by its own name
                published.setdefault(other, tensor)
