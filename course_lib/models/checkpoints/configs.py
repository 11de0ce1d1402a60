"""Published ``config.json`` files in our words, and GPT's back in theirs."""

from collections.abc import Mapping

from course_lib.config import BertConfig, GPTConfig

# What a published configuration may say, the first when it says nothing.  Ours is built so.
_GPT2_BUILT = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
}
_BERT_BUILT = {
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
}
_GPT2_SIZES = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")
_BERT_SIZES = ("vocab_size", "max_position_embeddings", "hidden_size", "num_hidden_layers",
               "num_attention_heads", "intermediate_size")  # fmt: skip


def config_from(published: Mapping[str, object]) -> GPTConfig | BertConfig:
    """Turn the content of a ``config.json`` into ours.

    Theirs has a dropout rate for each of several places, ours one, which is theirs at the end of
    each sublayer.

    Raises:
        ValueError: if it is of another family, a size is missing, or it asks for something that
            our GPT and BERT do not do; the message lists all of it.
    """
    family = published.get("model_type") if isinstance(published, Mapping) else None
    if family not in ("gpt2", "bert"):
        raise ValueError(f"config must be of model_type 'gpt2' or 'bert', got {family!r}")
    built, sizes = (_GPT2_BUILT, _GPT2_SIZES) if family == "gpt2" else (_BERT_BUILT, _BERT_SIZES)
    if absent := [name for name in sizes if name not in published]:
        raise ValueError(f"config must say {', '.join(absent)}")
    said = {name: published.get(name, able[0]) for name, able in built.items()}
    odd = [f"{name}={value!r}" for name, value in said.items() if value not in built[name]]
    if odd:
        raise ValueError(f"config must ask for what this {family} does, got {', '.join(odd)}")
    return _gpt_config(published) if family == "gpt2" else _bert_config(published)


def _gpt_config(published: Mapping[str, object]) -> GPTConfig:
    vocab_size, max_seq_len, *sizes = (published[name] for name in _GPT2_SIZES)
    return GPTConfig(
        vocab_size, max_seq_len, *sizes, d_ff=published.get("n_inner"),
        dropout=published.get("resid_pdrop", 0.1),
        norm_eps=published.get("layer_norm_epsilon", 1e-5),
        init_std=published.get("initializer_range", 0.02),
        tie_embeddings=published.get("tie_word_embeddings", True),
    )  # fmt: skip


def _bert_config(published: Mapping[str, object]) -> BertConfig:
    vocab_size, max_seq_len, *sizes, d_ff = (published[name] for name in _BERT_SIZES)
    return BertConfig(
        vocab_size, max_seq_len, *sizes, d_ff=d_ff,
        dropout=published.get("hidden_dropout_prob", 0.1),
        norm_eps=published.get("layer_norm_eps", 1e-12),
        init_std=published.get("initializer_range", 0.02),
        n_segments=published.get("type_vocab_size", 2),
    )  # fmt: skip


def gpt2_config_json(config: GPTConfig) -> dict[str, object]:
    """Say a GPT's shape in the words of a published GPT-2.

    Raises:
        ValueError: if heads are not as wide as GPT-2's, an equal share of ``d_model`` each.
    """
    if config.n_heads * config.d_head != config.d_model:
        raise ValueError(
            f"model must have d_head * n_heads = d_model, as GPT-2 has, got "
            f"{config.d_head} * {config.n_heads} and {config.d_model}"
        )
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": config.vocab_size,
        "n_positions": config.max_seq_len,
        "n_embd": config.d_model,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "n_inner": config.d_ff,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": config.norm_eps,
        "initializer_range": config.init_std,
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), config.dropout),
        "tie_word_embeddings": config.tie_embeddings,
        "bos_token_id": None,
        "eos_token_id": None,
    }
