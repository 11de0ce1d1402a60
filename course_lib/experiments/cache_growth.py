"""How much memory the keys and values of a large model take, and what they save (lesson 52)."""

from dataclasses import dataclass, replace

from course_lib.config import GPTConfig
from course_lib.experiments.operation_counts import operations
from course_lib.models.counting import count_gpt_parameters, kv_cache_bytes

GIB = 2**30
THIRTEEN_B = GPTConfig(50_272, 2048, d_model=5120, n_layers=40, n_heads=40)  # OPT-13B's shape
PUBLISHED = {
    "GPT-2": GPTConfig(50_257, 1024, d_model=768, n_layers=12, n_heads=12),
    "GPT-3 175B": GPTConfig(50_257, 2048, d_model=12_288, n_layers=96, n_heads=96),
    "Llama 2 7B": GPTConfig(32_000, 4096, d_model=4096, n_layers=32, n_heads=32),
    "Llama 2 13B": GPTConfig(32_000, 4096, d_model=5120, n_layers=40, n_heads=40),
    "Llama 2 70B": GPTConfig(32_000, 4096, d_model=8192, n_layers=80, n_heads=64, n_kv_heads=8),
}  # what counts for the cache; Llama's other differences do not
MEMORY = 40  # GiB on the card that the figure has in mind


@dataclass(frozen=True)
class CacheGrowth:
    """A model that writes several texts at once, by the numbers.

    Args:
        n_tokens: in each text so far.
        n_texts: written at once.
        n_kv_heads: heads that have keys and values.
        bytes_per_number: of the cache.
        weights: bytes of the model's own weights, two for each.
        cache: bytes of all keys and values.
        memory: bytes that there are.
        anew: operations to write the next token of one text when all of it is read again.
        kept: operations when the keys and values of all before it are there.
    """

    n_tokens: int
    n_texts: int
    n_kv_heads: int
    bytes_per_number: int
    weights: int
    cache: int
    memory: int
    anew: int
    kept: int


def cache_growth(
    n_tokens: int, n_texts: int, n_kv_heads: int, bytes_per_number: int
) -> CacheGrowth:
    """Work out a GPT of 13 billion parameters; the next token is the one behind ``n_tokens``."""
    config = replace(THIRTEEN_B, n_kv_heads=n_kv_heads)
    return CacheGrowth(
        n_tokens, n_texts, n_kv_heads, bytes_per_number,
        weights=2 * count_gpt_parameters(config)["total"],
        cache=kv_cache_bytes(config, n_tokens, n_texts, bytes_per_number),
        memory=MEMORY * GIB,
        anew=sum(operations(config, n_tokens).values()),
        kept=sum(operations(config, 1, n_tokens - 1).values()),
    )  # fmt: skip
