import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from course_lib.config import POSITIONS, GPTConfig
from course_lib.models.gpt import GPT

LATER = "rotary, and all else that later models changed"
KINDS = (*POSITIONS, LATER)
each_kind = pytest.mark.parametrize("positions", KINDS)


def _gpt(positions="learned", n_kv_heads=None, **changes):
    torch.manual_seed(0)
    shape = dict(vocab_size=13, max_seq_len=10, d_model=12, n_layers=3, n_heads=4, d_head=6)
    if positions == LATER:
        shape |= dict(norm="rms", activation="relu squared", biases=False, qk_norm=True)
        positions = "rotary"
    shape |= dict(init_std=0.5, positions=positions, n_kv_heads=n_kv_heads) | changes
    return GPT(GPTConfig(**shape)).double()


@settings(deadline=None, max_examples=60)
@given(
    positions=st.sampled_from(KINDS),
    n_kv_heads=st.sampled_from((4, 2, 1)),
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=6),
    seed=st.integers(0, 9),
)
def test_cached_is_uncached_however_the_text_is_cut(positions, n_kv_heads, lengths, seed):
    model, generator = _gpt(positions, n_kv_heads), torch.Generator().manual_seed(seed)
    ids = torch.randint(13, (2, min(10, sum(lengths))), generator=generator)
    whole, cache, at = model(ids), model.new_cache(2), 0
    for n in lengths:
        if (part := ids[:, at : at + n]).shape[1]:
            logits = model(part, cache=cache)
            torch.testing.assert_close(logits, whole[:, at : at + n], rtol=0, atol=1e-10)
            at += part.shape[1]
            assert cache.length == at


@each_kind
def test_texts_padded_on_the_left_too(positions):
    model = _gpt(positions, n_kv_heads=2)
    ids, real = torch.randint(13, (3, 9)), torch.ones(3, 9).bool()
    real[0, :4] = real[2, :1] = False
    whole, cache = model(ids, real), model.new_cache(3)
    parts = [model(ids[:, :5], real[:, :5], cache)]
    parts += [model(ids[:, i : i + 1], real[:, : i + 1], cache) for i in range(5, 9)]
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=0, atol=1e-10)
    alone = model(ids[:1, 4:])[:, -1]
    torch.testing.assert_close(parts[-1][:1, -1], alone, rtol=0, atol=1e-10)


@each_kind
@pytest.mark.parametrize(
    "how", [dict(temperature=0), dict(temperature=1.5), dict(top_k=4), dict(top_p=0.7)]
)
def test_generation_with_and_without_the_cache_is_the_same(positions, how):
    model = _gpt(positions, n_kv_heads=2)
    ids = torch.randint(13, (2, 4))  # 15 new tokens: past the window of 10 too
    with_it, without = (
        model.generate(
            ids, 15, use_cache=use, generator=torch.Generator().manual_seed(5), **how
        )
        for use in (True, False)
    )  # fmt: skip
    assert torch.equal(with_it, without)


def test_generation_goes_on_with_each_text_as_if_it_were_alone():
    model = _gpt(tie_embeddings=False)  # tied, it would repeat itself whatever it read
    ids, real = torch.randint(13, (20, 5)), torch.ones(20, 5).bool()
    real[::2, :3] = False
    together = model.generate(ids, 4, temperature=0, real=real)
    for row in range(20):
        start = 0 if row % 2 else 3
        alone = model.generate(ids[row : row + 1, start:], 4, temperature=0)
        assert torch.equal(together[row, start:], alone[0])


def test_each_token_is_read_once(monkeypatch):
    model, read = _gpt(), []
    embed = model.embed

    def noting(ids, places):
        read.append(ids.shape[1])
        return embed(ids, places)

    monkeypatch.setattr(model, "embed", noting)
    model.generate(torch.randint(13, (1, 3)), 6)
    assert read == [3, 1, 1, 1, 1, 1]


def test_a_pass_that_breaks_off_leaves_the_cache_as_it_was(monkeypatch):
    model, ids = _gpt(), torch.randint(13, (1, 8))
    whole, cache = model(ids), model.new_cache()
    model(ids[:, :5], cache=cache)
    with monkeypatch.context() as broken:
        broken.setattr(model.blocks[1], "forward", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            model(torch.zeros(1, 2, dtype=torch.int64), cache=cache)
    assert cache.length == 5
    torch.testing.assert_close(model(ids[:, 5:], cache=cache), whole[:, 5:], rtol=0, atol=1e-10)


@pytest.mark.parametrize("shape", [(1, 11), (2, 1)])
def test_what_does_not_fit_the_cache_is_named(shape):
    model = _gpt()
    cache = model.new_cache()
    with pytest.raises(ValueError, match="at most 10, got 11 more|holds 1 texts, got a batch of 2"):
        model(torch.zeros(shape, dtype=torch.int64), cache=cache)
    assert cache.length == 0


def test_a_full_cache_and_a_foreign_one_are_named():
    model = _gpt()
    cache = model.new_cache()
    model(torch.zeros(1, 10, dtype=torch.int64), cache=cache)
    with pytest.raises(ValueError, match="holds 10 of at most 10, got 1 more"):
        model(torch.zeros(1, 1, dtype=torch.int64), cache=cache)
    with pytest.raises(ValueError, match="must be of this model"):
        model(torch.zeros(1, 1, dtype=torch.int64), cache=_gpt(n_layers=2).new_cache())


def test_bad_padding_is_named(as_shipped):
    model, ids = _gpt(), torch.randint(13, (1, 3))
    cache = model.new_cache()
    model(ids, cache=cache)
    with pytest.raises(ValueError, match=r"real must .* shape \(1, 4\), got \(1, 1\)"):
        as_shipped(GPT.forward)(model, ids[:, :1], torch.ones(1, 1).bool(), cache)
    assert cache.length == 3
    with pytest.raises(ValueError, match="padding on the left"):
        model.generate(ids, 1, real=torch.tensor([[True, True, False]]))


def test_no_gradient_is_recorded_with_a_cache():
    model = _gpt()
    assert not model(torch.zeros(1, 1, dtype=torch.int64), cache=model.new_cache()).requires_grad
    assert model(torch.zeros(1, 1, dtype=torch.int64)).requires_grad


def test_the_cache_is_of_the_kind_of_the_weights():
    assert _gpt().float().new_cache().layers[0].keys.dtype == torch.float32


def test_padding_longer_than_the_window():
    model, ids = _gpt(), torch.randint(13, (2, 13))
    real = functional.pad(torch.ones(2, 4), (9, 0)).bool()
    out = model.generate(ids, 5, temperature=0, real=real)
    assert torch.equal(out[:, 9:], model.generate(ids[:, 9:], 5, temperature=0))
