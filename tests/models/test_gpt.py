import pytest
import torch
from influence import influence
from torch.nn import functional

from course_lib.config import POSITIONS, BertConfig, GPTConfig
from course_lib.models.gpt import GPT

CONFIG = GPTConfig(vocab_size=13, max_seq_len=8, d_model=12, n_layers=2, n_heads=3)


@pytest.fixture
def model():
    return GPT(CONFIG).double()


def test_no_position_knows_of_the_future(model):
    slopes = influence(model, model.tokens, torch.randint(13, (2, 6)))
    past = torch.ones(6, 6).tril().bool()
    assert (slopes[:, ~past] == 0).all()
    assert (slopes[:, past] > 0).all()


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


def test_generation_draws_only_what_the_cuts_leave(model):
    ids = torch.randint(13, (4, 3))
    best = model.generate(ids, 5, temperature=0)
    for how in (dict(top_k=1), dict(top_p=1e-6)):
        assert torch.equal(model.generate(ids, 5, **how), best)
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        new = model.generate(ids, 1, top_k=3, generator=generator)[:, -1:]
        assert (model(ids)[:, -1].topk(3).indices == new).any(dim=-1).all()


def test_untied_output_layer_has_its_own_weights():
    model = GPT(GPTConfig(13, 8, d_model=12, n_layers=1, n_heads=3, tie_embeddings=False))
    assert model.lm_head.weight is not model.tokens.weight


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([[13]], r"vocab_size=13\), got 13"),
        ([[0] * 9], r"max_seq_len=8\), got 8: the table has no row"),
    ],
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


each_kind = pytest.mark.parametrize("positions", POSITIONS)


def _gpt(positions: str) -> GPT:
    torch.manual_seed(0)
    shape = {**vars(CONFIG), "d_head": 6, "init_std": 0.5, "positions": positions}
    return GPT(GPTConfig(**shape)).double()


@each_kind
def test_padding_on_either_side_changes_no_real_position(positions):
    model, ids = _gpt(positions), torch.randint(13, (2, 5))
    alone = model(ids)
    for left, right in ((3, 0), (0, 3), (2, 1)):
        padded = functional.pad(ids, (left, right), value=7)
        real = functional.pad(torch.ones_like(ids), (left, right)).bool()
        logits = model(padded, real)
        assert logits.isfinite().all()
        torch.testing.assert_close(logits[real].view_as(alone), alone, rtol=1e-11, atol=1e-12)
    blind = model(functional.pad(ids, (3, 0), value=7))[:, 3:]
    assert not torch.allclose(blind, alone)


@each_kind
def test_gradients_do_not_see_padding_either(positions):
    model, ids = _gpt(positions), torch.randint(13, (2, 5))
    real = functional.pad(torch.ones_like(ids), (2, 0)).bool()
    alone = torch.autograd.grad(model(ids).square().sum(), list(model.parameters()))
    padded = model(functional.pad(ids, (2, 0), value=7), real)[real]
    for ours, wanted in zip(
        torch.autograd.grad(padded.square().sum(), list(model.parameters())), alone, strict=True
    ):
        torch.testing.assert_close(ours, wanted, rtol=1e-9, atol=1e-10)


def test_order_gets_in_by_each_kind_and_by_none_only_through_the_mask():
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    swapped = ids[:, [1, 0, 2, 3, 4]]
    for positions in POSITIONS:
        model = _gpt(positions)
        same = torch.allclose(model(ids)[:, -1], model(swapped)[:, -1])
        # Two layers: the first token of the pair is read differently by the second.
        assert not same, positions


@each_kind
def test_logits_keep_the_number_format_of_the_weights(positions):
    assert _gpt(positions).float()(torch.zeros(1, 3, dtype=torch.int64)).dtype == torch.float32


def test_only_a_learned_table_ends():
    ids = torch.randint(13, (1, 20))
    for positions in POSITIONS:
        if positions != "learned":
            assert _gpt(positions)(ids).shape == (1, 20, 13)


def test_bad_padding_is_named(as_shipped):
    model, ids = _gpt("learned"), torch.zeros(2, 3, dtype=torch.int64)
    call = as_shipped(GPT.forward)
    with pytest.raises(ValueError, match="real must hold one entry for each token"):
        call(model, ids, torch.ones(2, 4).bool())
    with pytest.raises(ValueError, match="a text with none"):
        call(model, ids, torch.zeros(2, 3).bool())


@pytest.mark.parametrize(
    "wrong", [torch.arange(5)[:, None], torch.tensor(3), torch.tensor([0]), torch.zeros(2, 3, 5)]
)
def test_positions_that_would_broadcast_are_named(wrong, as_shipped):
    model, wrong = _gpt("learned"), wrong.long()
    with pytest.raises(ValueError, match=r"position_ids must hold one number for each position"):
        as_shipped(GPT.embed)(model, torch.zeros(5, 5, dtype=torch.int64), wrong)


def test_a_configuration_of_the_other_family_is_named(as_shipped):
    with pytest.raises(TypeError, match="config must be a GPTConfig, got BertConfig"):
        as_shipped(GPT.__init__)(GPT.__new__(GPT), BertConfig(13, 8, 12, 1, 3))


@each_kind
def test_mixed_precision_goes_forward_and_back(positions):
    model = _gpt(positions).float()
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(torch.randint(13, (2, 5))).float().square().mean()
    loss.backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_what_was_generated_can_be_trained_on(model):
    ids = model.generate(torch.zeros(1, 2, dtype=torch.int64), 3)
    model(ids).sum().backward()
    assert model.tokens.weight.grad.abs().sum() > 0
