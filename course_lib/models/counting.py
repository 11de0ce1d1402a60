"""Counting: how many numbers a model holds, from its configuration alone."""

from course_lib.config import (
    BertConfig,
    GPTConfig,
    TransformerConfig,
    require_config,
    require_whole,
)


def count_gpt_parameters(config: GPTConfig) -> dict[str, int]:
    """Count a GPT's parameters part by part, without making one.

    Returns:
        Numbers for ``tokens``, ``positions`` (0 when they are not learned), ``attention``,
        ``feed_forward``, ``norms``, ``lm_head`` (0 when tied to the token table) and ``total``.

    Source:
        Radford et al. 2019, table 2 (the paper's own counts there are known to be too small;
        the released models have the numbers that this function gives).
    """
    require_config(GPTConfig, config)
    table = config.vocab_size * config.d_model
    parts = {
        "tokens": table,
        "positions": config.max_seq_len * config.d_model if config.positions == "learned" else 0,
        **_in_sublayers(config, bias=int(config.biases)),
        "norms": (2 * config.n_layers + 1) * (1 if config.norm == "rms" else 2) * config.d_model,
        "lm_head": 0 if config.tie_embeddings else table,
    }
    return {**parts, "total": sum(parts.values())}


def kv_cache_bytes(
    config: GPTConfig, n_tokens: int = 1, batch_size: int = 1, bytes_per_number: int = 2
) -> int:
    r"""Count the bytes of the keys and values of so many tokens in each text of a batch.

    .. math:: 2 \cdot L \cdot h_{\text{kv}} \cdot d_{\text{head}} \cdot \text{tokens} \cdot
              \text{texts} \cdot \text{bytes}

    Args:
        bytes_per_number: 2 for float16 and bfloat16, 4 for float32.

    Source:
        Shazeer 2019, section 2.4; with fewer heads of keys and values, section 3 and Ainslie
        et al. 2023, section 2.2.
    """
    require_config(GPTConfig, config)
    require_whole(0, n_tokens=n_tokens)
    require_whole(1, batch_size=batch_size, bytes_per_number=bytes_per_number)
    numbers = 2 * config.n_layers * config.n_kv_heads * config.d_head
    return numbers * n_tokens * batch_size * bytes_per_number


def count_bert_parameters(
    config: BertConfig, *, pooler: bool = True, mlm_head: bool = False, nsp_head: bool = False
) -> dict[str, int]:
    """Count a BERT's parameters part by part, without making one.

    Args:
        config: sizes of the encoder.
        pooler: with the layer behind the first position.
        mlm_head: with the head for masked tokens, whose largest matrix is the token table.
        nsp_head: with the head for the next sentence.

    Returns:
        Numbers for ``tokens``, ``positions``, ``segments``, ``attention``, ``feed_forward``,
        ``norms`` (of the embedding and the blocks), the three heads (0 when left out) and
        ``total``.

    Source:
        Devlin et al. 2019, section 3, has "110M" and "340M" for the two sizes.
    """
    require_config(BertConfig, config)
    d = config.d_model
    dense = d * d + d
    parts = {
        "tokens": config.vocab_size * d,
        "positions": config.max_seq_len * d if config.positions == "learned" else 0,
        "segments": config.n_segments * d,
        **_in_sublayers(config),
        "norms": (2 * config.n_layers + 1) * 2 * d,
        "pooler": dense if pooler else 0,
        "mlm_head": dense + 2 * d + config.vocab_size if mlm_head else 0,
        "nsp_head": 2 * d + 2 if nsp_head else 0,
    }
    return {**parts, "total": sum(parts.values())}


def _in_sublayers(config: TransformerConfig, bias: int = 1) -> dict[str, int]:
    """Weights and, where ``bias`` is 1, biases of all blocks' attention and feed-forward."""
    d, inner = config.d_model, config.n_heads * config.d_head
    shared = getattr(config, "n_kv_heads", config.n_heads) * config.d_head  # of keys, or values
    return {
        "attention": config.n_layers
        * (2 * d * inner + 2 * d * shared + bias * (inner + 2 * shared + d)),
        "feed_forward": config.n_layers * (2 * d * config.d_ff + bias * (config.d_ff + d)),
    }
