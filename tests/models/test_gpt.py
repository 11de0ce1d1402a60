import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.models.gpt import GPT

CONFIG = GPTConfig(vocab_size=13, max_seq_len=8, d_model=12, n_layers=2, n_heads=3)


@pytest.fixture
def model():
    return GPT(CONFIG).double()


def _influence(model: GPT, seq: int) -> torch.Tensor:
    """Largest change of each position's logits by each position's embedding, by Jacobian."""
    x = model.tokens(torch.randint(13, (1, seq))).detach()
    model.tokens.forward = lambda _: replaced
    ids = torch.zeros(1, seq, dtype=torch.int64)

    def logits(x):
        nonlocal replaced
        replaced = x
        return model(ids)[0]

    replaced = x
    return torch.autograd.functional.jacobian(logits, x).abs().amax(dim=(1, 2, 4))


def test_no_position_sees_the_future(model):
    influence = _influence(model, 6)
    future = torch.ones(6, 6).triu(1).bool()
    assert (influence[future] == 0).all()
    assert (influence[~future] > 0).all()


def test_a_shorter_text_gets_the_same_logits(model):
    ids = torch.randint(13, (2, 8))
    torch.testing.assert_close(model(ids)[:, :5], model(ids[:, :5]))


def test_greedy_generation_takes_the_best_token_each_time(model):
    ids = torch.randint(13, (2, 3))
    out = model.generate(ids, 9, temperature=0)
    assert out.shape == (2, 12) and torch.equal(out[:, :3], ids)
    for end in range(3, 12):
        seen = out[:, max(0, end - 8) : end]
        assert torch.equal(out[:, end], model(seen)[:, -1].argmax(-1))


def test_generation_is_repeatable_and_leaves_the_mode_alone(model):
    ids = torch.zeros(1, 1, dtype=torch.int64)
    first, again = (
        model.generate(ids, 20, generator=torch.Generator().manual_seed(3)) for _ in range(2)
    )
    assert torch.equal(first, again)
    assert model.training
    model.eval().generate(ids, 1)
    assert not model.training


def test_untied_output_layer_has_its_own_weights():
    model = GPT(GPTConfig(13, 8, d_model=12, n_layers=1, n_heads=3, tie_embeddings=False))
    assert model.lm_head.weight is not model.tokens.weight


@pytest.mark.parametrize(
    ("ids", "message"),
    [([[13]], r"vocab_size=13\), got 13"), ([[0] * 9], r"max_seq_len=8\), got 8: the table has no row")],
)
def test_bad_text_is_named(model, ids, message):
    with pytest.raises(ValueError, match=message):
        model(torch.tensor(ids))


def test_negative_length_is_named(model):
    with pytest.raises(ValueError, match="n_new must be a whole number >= 0, got -1"):
        model.generate(torch.zeros(1, 1, dtype=torch.int64), -1)


@pytest.mark.parametrize("n_new", [0, 1])
@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([1, 2], ValueError, r"token_ids must have shape \(batch, seq\), got \(2,\)"),
        ([[]], ValueError, "token_ids must not be empty"),
        ([[99]], ValueError, "token_ids must lie in"),
        ([[1.0]], TypeError, "token_ids must hold whole numbers"),
    ],
)
def test_bad_prompts_are_named(ids, error, message, n_new, as_shipped):
    model = GPT(GPTConfig(13, 6, d_model=8, n_layers=1, n_heads=2))
    prompt = torch.tensor(ids) if ids != [[]] else torch.zeros(1, 0, dtype=torch.long)
    with pytest.raises(error, match=message):
        as_shipped(GPT.generate)(model, prompt, n_new)
    with pytest.raises(TypeError, match="n_new must be a whole number, got 1.5"):
        as_shipped(GPT.generate)(model, torch.tensor([[1]]), 1.5)
