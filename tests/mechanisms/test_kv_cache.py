import pytest
import torch
from torch.nn import functional

from course_lib.config import GPTConfig
from course_lib.mechanisms.attention import (
    MultiHeadAttention,
    grouped_attention,
    scaled_dot_product_attention,
)
from course_lib.mechanisms.kv_cache import KVCache, LayerCache
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.rotary import Rotary

CONFIG = GPTConfig(13, 9, d_model=12, n_layers=2, n_heads=6, n_kv_heads=3, d_head=4)


def _new(n, batch=2):
    return torch.randn(batch, 3, n, 4), torch.randn(batch, 3, n, 4)


def test_what_is_written_stays_where_it_is():
    cache = KVCache(CONFIG, batch_size=2)
    parts = [_new(n) for n in (3, 1, 2)]
    for k, v in parts:
        for layer in cache.layers:
            layer.extend(k, v)
        cache.accept(k.shape[2])
    assert cache.length == 6
    for layer in cache.layers:
        assert torch.equal(layer.keys, torch.cat([k for k, _ in parts], dim=2))
        assert torch.equal(layer.values, torch.cat([v for _, v in parts], dim=2))


def test_nothing_is_copied_when_the_text_grows():
    layer = KVCache(CONFIG, batch_size=2).layers[0]
    before = layer.extend(*_new(3))[0]
    layer.length = 3
    after = layer.extend(*_new(2))[0]
    assert before.data_ptr() == after.data_ptr()


def test_bytes_are_those_of_the_tensors():
    for dtype, size in ((torch.float16, 2), (torch.float32, 4), (torch.float64, 8)):
        cache = KVCache(CONFIG, batch_size=5, dtype=dtype)
        assert cache.n_bytes == 0
        cache.accept(7)
        assert cache.n_bytes == 2 * 2 * 3 * 4 * size * 5 * 7


def test_room_is_held_from_the_start():
    cache = KVCache(CONFIG, batch_size=5, capacity=7, dtype=torch.float16)
    held = cache.n_bytes_reserved
    cache.accept(2)
    assert held == cache.n_bytes_reserved == 7 * cache.n_bytes / 2
    cache.accept(5)
    assert cache.n_bytes == held


def test_a_write_that_was_not_accepted_is_written_over():
    layer, (k, v) = KVCache(CONFIG, batch_size=2).layers[0], _new(2)
    layer.extend(*_new(4))
    keys, values = layer.extend(k, v)
    assert torch.equal(keys, k) and torch.equal(values, v)


@pytest.mark.parametrize(
    ("k", "v", "message"),
    [
        (torch.zeros(2, 3, 1, 4), torch.zeros(2, 3, 1, 5), "v must fit the cache"),
        (torch.zeros(1, 3, 1, 4), torch.zeros(1, 3, 1, 4), "k must fit the cache"),
        (torch.zeros(2, 3, 1, 4).double(), torch.zeros(2, 3, 1, 4), "k .* got torch.float64"),
        (torch.zeros(2, 3, 10, 4), torch.zeros(2, 3, 10, 4), "holds 0 of at most 9, got 10 more"),
    ],
)
def test_what_does_not_fit_is_named(k, v, message, as_shipped):
    layer = KVCache(CONFIG, batch_size=2).layers[0]
    with pytest.raises(ValueError, match=message):
        as_shipped(LayerCache.extend)(layer, k, v)


def test_keys_without_as_many_values_are_named(as_shipped):
    layer = KVCache(CONFIG, batch_size=2).layers[0]
    with pytest.raises(ValueError, match=r"v must fit .*\(2, 3, 2, 4\), got .* \(2, 3, 1, 4\)"):
        as_shipped(LayerCache.extend)(layer, _new(2)[0], _new(1)[1])


def test_no_more_is_accepted_than_there_is_room_for():
    cache = KVCache(CONFIG, capacity=4)
    cache.accept(3)
    with pytest.raises(ValueError, match="it holds 3 of at most 4, got 2 more"):
        cache.accept(2)
    assert cache.length == 3
    with pytest.raises(ValueError, match="capacity must be a whole number >= 1, got 0"):
        KVCache(CONFIG, capacity=0)


@pytest.mark.parametrize("rotary", [None, Rotary()])
@pytest.mark.parametrize("n_kv_heads", [6, 3, 1])
def test_attention_with_a_cache_is_attention(rotary, n_kv_heads):
    torch.manual_seed(0)
    config = GPTConfig(13, 9, d_model=12, n_layers=1, n_heads=6, n_kv_heads=n_kv_heads, d_head=4)
    attn = MultiHeadAttention(12, 6, 4, n_kv_heads=n_kv_heads, rotary=rotary).double()
    x = torch.randn(2, 7, 12, dtype=torch.float64)
    cache = KVCache(config, batch_size=2, dtype=torch.float64)
    whole, at = attn(x, causal_mask(7)), 0
    with torch.no_grad():
        for n in (3, 1, 2, 1):
            visible, ids = causal_mask(n, at + n), torch.arange(at, at + n)
            part = attn(x[:, at : at + n], visible, position_ids=ids, cache=cache.layers[0])
            torch.testing.assert_close(part, whole[:, at : at + n], rtol=0, atol=1e-12)
            cache.accept(n)
            at += n


def test_a_cache_is_not_for_another_source():
    attn = MultiHeadAttention(12, 6, 4, n_kv_heads=3)
    x, layer = torch.randn(2, 1, 12), KVCache(CONFIG, batch_size=2).layers[0]
    with pytest.raises(ValueError, match="source must be left out with a cache"):
        attn(x, source=x, cache=layer)


@pytest.mark.parametrize("n_kv_heads", [6, 3, 2, 1])
def test_grouped_queries_agree_with_torch(n_kv_heads):
    torch.manual_seed(1)
    attn = MultiHeadAttention(10, 6, 4, n_kv_heads=n_kv_heads).double()
    x = torch.randn(2, 5, 10, dtype=torch.float64, requires_grad=True)
    q, k, v = (
        proj(x).unflatten(-1, (heads, 4)).transpose(1, 2)
        for proj, heads in (
            (attn.q_proj, 6), (attn.k_proj, n_kv_heads), (attn.v_proj, n_kv_heads)
        )
    )  # fmt: skip
    z = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    theirs = attn.out_proj(z.transpose(1, 2).flatten(-2))
    ours = attn(x, causal_mask(5))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    parameters = [x, *attn.parameters()]
    for a, b in zip(
        torch.autograd.grad(ours.square().sum(), parameters),
        torch.autograd.grad(theirs.square().sum(), parameters),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(
    "shape", [(5, 5), (1, 5, 5), (6, 5, 5), (2, 1, 5, 5), (2, 6, 5, 5), (1, 6, 5, 5)]
)
@pytest.mark.parametrize("n_kv_heads", [3, 2, 1])
def test_each_group_reads_what_copies_of_its_keys_would_give(n_kv_heads, shape):
    torch.manual_seed(2)
    q = torch.randn(2, 6, 5, 4, dtype=torch.float64)
    k, v = torch.randn(2, n_kv_heads, 5, 4).double(), torch.randn(2, n_kv_heads, 5, 3).double()
    visible = (torch.rand(shape) < 0.5) | torch.eye(5).bool()
    copies = (x.repeat_interleave(6 // n_kv_heads, dim=1) for x in (k, v))
    wanted = scaled_dot_product_attention(q, *copies, visible)
    for ours, theirs in zip(grouped_attention(q, k, v, visible), wanted, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_a_mask_that_does_not_fit_a_group_is_named(as_shipped):
    q, k = torch.randn(2, 6, 5, 4), torch.randn(2, 3, 5, 4)
    with pytest.raises(ValueError, match=r"visible must fit the scores, shape \(2, 6, 5, 5\)"):
        as_shipped(grouped_attention)(q, k, k, torch.ones(5, 4).bool())


def test_heads_that_cannot_be_shared_out_are_named():
    for make in (
        lambda: MultiHeadAttention(12, 6, n_kv_heads=4),
        lambda: GPTConfig(13, 9, d_model=12, n_layers=1, n_heads=6, n_kv_heads=4),
    ):
        with pytest.raises(ValueError, match="n_kv_heads must divide n_heads=6, got 4"):
            make()
