"""Counting: how many numbers a model holds, from its configuration alone."""

from course_lib.config import GPTConfig


def count_gpt_parameters(config: GPTConfig) -> dict[str, int]:
    """Count a GPT's parameters part by part, without making one.

    Returns:
        Numbers for ``tokens``, ``positions``, ``attention``, ``feed_forward``, ``norms``,
        ``lm_head`` (0 when tied to the token table) and ``total``.

    Source:
        Radford et al. 2019, table 2 (the paper's own counts there are known to be too small;
        the released models have the numbers that this function gives).
    """
    d, layers = config.d_model, config.n_layers
    inner = config.n_heads * config.d_head
    parts = {
        "tokens": config.vocab_size * d,
        "positions": config.max_seq_len * d,
        "attention": layers * (3 * (d * inner + inner) + inner * d + d),
        "feed_forward": layers * (d * config.d_ff + config.d_ff + config.d_ff * d + d),
        "norms": (2 * layers + 1) * 2 * d,
        "lm_head": 0 if config.tie_embeddings else config.vocab_size * d,
    }
    return {**parts, "total": sum(parts.values())}
