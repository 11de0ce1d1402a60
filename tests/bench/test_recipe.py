import pytest
import torch
from transformers import GPT2LMHeadModel

from course_lib.bench import main, recipe
from course_lib.bench.recipe import Text, final_loss, one_step, ours, read_text, reference
from course_lib.bench.rounds import Comparison

TEXT = Text.of("twenty words", b"the cat sat on the mat and then it ran. " * 60)


def test_the_last_tenth_is_held_out_whole():
    text = Text.of("numbers", bytes(range(101)))
    assert text.train.tolist() == list(range(90)) and text.validation.tolist() == [*range(90, 101)]


def test_texts(tmp_path):
    topics = read_text(recipe.TOPICS)
    assert topics.name == "pydoc_data.topics" and len(topics.train) > 9 * len(topics.validation) - 9
    (tmp_path / "own.txt").write_text("line\n" * 400, encoding="utf8")
    own = read_text(tmp_path / "own.txt")
    assert (len(own.train), len(own.validation)) == (1800, 200)
    with pytest.raises(ValueError, match="text must be one of .*; there is no file 'no'"):
        read_text("no")


def test_the_reference_is_as_the_task_says():
    state = reference(2000, seed=3)
    assert isinstance(state.model.model, GPT2LMHeadModel)
    assert type(state.optimizer) is torch.optim.AdamW
    config, settings = state.model.model.config, state.config
    assert (config.n_layer, config.n_embd, config.n_positions, config.vocab_size) == (
        4, 128, 64, 256,
    )  # fmt: skip
    assert (config.resid_pdrop, config.embd_pdrop, config.attn_pdrop) == (0, 0, 0)
    assert (settings.lr, settings.min_lr, settings.warmup_steps) == (1e-3, 1e-4, 100)
    assert (settings.batch_size, settings.decay, settings.seed) == (12, "cosine", 3)
    assert {g["betas"] for g in state.optimizer.param_groups} == {(0.9, 0.99)}


def test_ours_has_the_same_shape_and_tokens_and_no_more_parameters():
    sides = ours(2000, 0), reference(2000, 0)
    sizes = [sum(p.numel() for p in side.model.parameters()) for side in sides]
    assert sizes[0] <= sizes[1]
    for name in ("n_layers", "d_model", "max_seq_len", "vocab_size"):
        assert getattr(sides[0].model.config, name) == getattr(sides[1].model.config, name)
    assert sides[0].config.batch_size == sides[1].config.batch_size
    assert sides[0].config.total_steps == sides[1].config.total_steps


@pytest.mark.parametrize("make", [ours, reference])
def test_every_position_of_the_held_out_part_counts_and_the_seed_decides(make):
    def trained(seed):
        state = make(2, seed)
        return state, final_loss(state, TEXT)

    (state, loss), (_, again), (_, other) = trained(0), trained(0), trained(1)
    assert state.step == 2 and loss == again != other
    held_out, nats = TEXT.validation.long(), []
    for start in range(0, len(held_out) - 1, 64):
        begin = min(start, len(held_out) - 65)  # the last window reads what one before it scored
        with torch.no_grad():
            logits = state.model(held_out[None, begin : begin + 64])[0]
        surprise = -logits.log_softmax(-1)[range(64), held_out[begin + 1 : begin + 65]]
        nats += surprise[start - begin :].tolist()
    assert len(nats) == len(held_out) - 1 and len(nats) % 64
    assert loss == pytest.approx(sum(nats) / len(nats), abs=1e-5)


def test_both_sides_read_the_same_windows(monkeypatch):
    read = []
    monkeypatch.setattr(recipe, "update", lambda state, task, batch, lr: read.append(batch))
    for make in (ours, reference):
        one_step(make(4, 5), TEXT)
    assert all(torch.equal(a, b) for a, b in zip(*read, strict=True))


@pytest.mark.parametrize(
    ("ratio", "lower", "status"),
    [(1.1, 0.2, 0), (0.98, 0.2, 1), (1.1, 0.12, 1), (1.1, 0.17, 1)],
)
def test_the_verdict_needs_all_three(monkeypatch, capsys, ratio, lower, status):
    monkeypatch.setattr(
        recipe, "speeds", lambda text, rounds, turn: Comparison([ratio] * rounds, [1.0] * rounds)
    )
    trained = []

    def loss(state, text):
        trained.append((type(state.model).__name__, state.config.total_steps, state.config.seed))
        return 2.0 if trained[-1][0] == "Published" else 2.0 - lower

    monkeypatch.setattr(recipe, "final_loss", loss)
    assert recipe.run(TEXT, seeds=2, steps=40, n_rounds=5, n_turn=1) == status
    fitting = int(40 * ratio)
    assert trained == [
        (name, steps, seed)
        for seed in range(2)
        for name, steps in (("Published", 40), ("GPT", 40), ("GPT", fitting))
    ]
    printed = capsys.readouterr().out
    assert f"from the same tokens, ours is lower by {lower:.3f} (median of 2 seeds" in printed


def test_the_command_hands_everything_on(monkeypatch, tmp_path):
    (tmp_path / "own.txt").write_text("line\n" * 400, encoding="utf8")
    seen = []
    monkeypatch.setattr(recipe, "run", lambda *given: seen.append(given) or 0)
    asked = ["--seeds", "2", "--rounds", "7", "--text", str(tmp_path / "own.txt")]
    assert main(["--recipe", "--steps", "9", *asked]) == main(["recipe", *asked]) == 0
    (text, *first), (_, *second) = seen
    assert text.name == "own.txt" and first == [2, 9, 7, 40] and second == [2, 2000, 7, 40]
