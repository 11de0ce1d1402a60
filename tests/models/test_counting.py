from dataclasses import replace

import pytest
import torch

from course_lib.config import BERT_SIZES, GPT2_SIZES, BertConfig, GPTConfig
from course_lib.models.bert import Bert, BertPretraining
from course_lib.models.counting import (
    count_bert_parameters,
    count_gpt_parameters,
    kv_cache_bytes,
)
from course_lib.models.gpt import GPT

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes_are_counted_exactly(name):
    assert count_gpt_parameters(GPT2_SIZES[name])["total"] == PUBLISHED[name]


# (n_layers, n_heads, n_kv_heads, d_head), bytes of a token in float16.
CACHES = {
    "gpt2": ((12, 12, 12, 64), 36_864),
    "gpt3": ((96, 96, 96, 128), 4_718_592),
    "llama-2-7b": ((32, 32, 32, 128), 524_288),
    "llama-2-13b": ((40, 40, 40, 128), 819_200),
    "llama-2-70b": ((80, 64, 8, 128), 327_680),
}


@pytest.mark.parametrize("name", CACHES)
def test_published_caches_are_counted_exactly(name):
    (n_layers, n_heads, n_kv_heads, d_head), wanted = CACHES[name]
    config = GPTConfig(
        1, 1, d_model=1, n_layers=n_layers, n_heads=n_heads, n_kv_heads=n_kv_heads, d_head=d_head
    )
    assert kv_cache_bytes(config) == wanted
    assert kv_cache_bytes(config, n_tokens=7, batch_size=3, bytes_per_number=4) == 42 * wanted


def test_a_real_cache_has_the_bytes_that_were_counted():
    config = GPTConfig(13, 9, d_model=10, n_layers=4, n_heads=6, d_head=5, n_kv_heads=2)
    cache = GPT(config).new_cache(batch_size=3)
    cache.accept(7)
    assert cache.n_bytes == kv_cache_bytes(config, 7, batch_size=3, bytes_per_number=4)


def _size(*modules):
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


@pytest.mark.parametrize("n_kv_heads", [1, 3])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("positions", ["learned", "rotary", "sinusoidal", "none"])
def test_counts_equal_a_real_model(tied, positions, n_kv_heads):
    config = GPTConfig(
        13, 9, d_model=10, n_layers=4, n_heads=3, d_head=6, d_ff=17, tie_embeddings=tied,
        n_kv_heads=n_kv_heads, positions=positions,
    )  # fmt: skip
    model = GPT(config)
    counted = count_gpt_parameters(config)
    assert counted["total"] == _size(model)
    assert counted["positions"] == (90 if positions == "learned" else 0)
    assert counted["attention"] == _size(*(block.attn for block in model.blocks))
    assert counted["norms"] == sum(p.numel() for n, p in model.named_parameters() if "norm" in n)


@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("biases", [True, False])
def test_counts_without_biases_and_with_other_norms_equal_a_real_model(norm, biases):
    config = GPTConfig(
        13, 9, d_model=10, n_layers=4, n_heads=3, d_head=6, d_ff=17, n_kv_heads=1,
        norm=norm, biases=biases, qk_norm=True,
    )  # fmt: skip
    model = GPT(config)
    counted = count_gpt_parameters(config)
    assert counted["total"] == _size(model)
    assert counted["attention"] == _size(*(block.attn for block in model.blocks))
    assert counted["feed_forward"] == _size(*(block.ffn for block in model.blocks))
    assert counted["norms"] == sum(p.numel() for n, p in model.named_parameters() if "norm" in n)


def test_the_largest_model_counts_without_its_memory():
    with torch.device("meta"):
        model = GPT(GPT2_SIZES["gpt2-xl"])
    assert _size(model) == PUBLISHED["gpt2-xl"]


@pytest.mark.parametrize(
    ("name", "parts", "total"),
    [
        ("bert-base", {}, 109_482_240),
        ("bert-base", {"pooler": False}, 108_891_648),
        ("bert-base", {"pooler": False, "mlm_head": True}, 109_514_298),
        ("bert-large", {}, 335_141_888),
    ],
)
def test_published_sizes_of_bert_are_counted_exactly(name, parts, total):
    assert count_bert_parameters(BERT_SIZES[name], **parts)["total"] == total


def test_bert_counts_equal_a_real_model_part_by_part():
    config = BertConfig(13, 9, d_model=10, n_layers=4, n_heads=3, d_head=6, d_ff=17, n_segments=5)
    model = BertPretraining(config)
    encoder = model.bert
    counted = count_bert_parameters(config, mlm_head=True, nsp_head=True)
    assert counted == {
        "tokens": _size(encoder.embedding.tokens),
        "positions": _size(encoder.embedding.positions),
        "segments": _size(encoder.embedding.segments),
        "attention": _size(*(block.attn for block in encoder.blocks)),
        "feed_forward": _size(*(block.ffn for block in encoder.blocks)),
        "norms": sum(p.numel() for n, p in encoder.named_parameters() if "norm" in n),
        "pooler": _size(model.pooler),
        "mlm_head": _size(model.mlm_head) - _size(encoder.embedding.tokens),
        "nsp_head": _size(model.nsp_head),
        "total": _size(model),
    }
    assert count_bert_parameters(config, pooler=False)["total"] == _size(encoder)
    turned = replace(config, positions="rotary", qk_norm=True)
    assert count_bert_parameters(turned, pooler=False)["total"] == _size(Bert(turned))


@pytest.mark.parametrize("name", BERT_SIZES)
def test_the_published_berts_count_without_their_memory(name):
    with torch.device("meta"):
        encoder, model = Bert(BERT_SIZES[name]), BertPretraining(BERT_SIZES[name])
    counted = count_bert_parameters(BERT_SIZES[name], mlm_head=True, nsp_head=True)
    assert _size(model) == counted["total"]
    assert _size(encoder) == counted["total"] - sum(
        counted[head] for head in ("pooler", "mlm_head", "nsp_head")
    )
