import math
from dataclasses import replace

import pytest
import tiny
import torch

from course_lib.config import BertConfig, GPTConfig
from course_lib.data.masking import Masking
from course_lib.data.paired_texts import paired_texts
from course_lib.mechanisms.losses import IGNORE
from course_lib.models.bert import BertPretraining, pretraining_loss
from course_lib.models.gpt import GPT
from course_lib.tokenizers.bert_pair import EncodedPair
from course_lib.training.loop import train_on
from course_lib.training.pretraining import (
    KINDS,
    Pretraining,
    PretrainingBatch,
    SelectedLogits,
    _grade,
    figures,
    grade,
    selected_logits,
)
from course_lib.training.state import TrainState, resume, save
from course_lib.training.tasks import Task

PAD, CLS, SEP, MASK_ID, FIRST = 0, 1, 2, 3, 4  # the ids behind are words
VOCAB, LONGEST = 14, 11
SHAPE = BertConfig(VOCAB, LONGEST, d_model=12, n_layers=2, n_heads=3, dropout=0.1, init_std=0.1)
MASKING = Masking(MASK_ID, VOCAB, (PAD, CLS, SEP), rate=0.3)


def pairs(n, seed):
    """Pairs of one to four words each; the label is 0 where B goes on counting from A's last."""
    draw = torch.Generator().manual_seed(seed)
    inputs, labels = [], []
    for i in range(n):
        n_a, n_b, start = (int(torch.randint(1, 5, (), generator=draw)) for _ in range(3))
        gap = 1 if i % 3 else 4
        a = [FIRST + (start + k) % 10 for k in range(n_a)]
        b = [FIRST + (start + n_a - 1 + gap + k) % 10 for k in range(n_b)]
        ids = (CLS, *a, SEP, *b, SEP)
        inputs.append(EncodedPair(ids, (0,) * (n_a + 2) + (1,) * (n_b + 1)))
        labels.append(0 if i % 3 else 1)
    return paired_texts(inputs, labels, PAD)


TASK = Pretraining(pairs(90, 1), pairs(31, 2), MASKING)


def fresh(total_steps=12, **changes):
    torch.manual_seed(7)
    return TrainState.fresh(BertPretraining(SHAPE), tiny.config(total_steps, **changes))


@pytest.fixture
def model():
    return fresh().model.eval()


def test_it_is_a_task():
    assert isinstance(TASK, Task)


def test_the_sum_of_the_parts_is_berts_loss(model):
    batch = TASK.fixed(LONGEST, 31)
    parts = TASK.losses(model, batch)
    everywhere = model(batch.token_ids, batch.real, batch.segment_ids)
    expected = pretraining_loss(everywhere, batch.token_targets, batch.next_targets)
    assert list(parts) == ["mlm", "nsp"]
    assert sum(parts.values()).item() == pytest.approx(expected.item(), rel=1e-6)
    wanted = torch.autograd.grad(expected, list(model.parameters()))
    found = torch.autograd.grad(sum(parts.values()), list(model.parameters()))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_answers_at_selected_positions_are_those_of_the_whole_model(model):
    batch = TASK.fixed(LONGEST, 9)
    logits = selected_logits(model, batch)
    everywhere = model(batch.token_ids, batch.real, batch.segment_ids)
    wanted = everywhere.tokens[batch.token_targets != IGNORE]
    torch.testing.assert_close(logits.tokens, wanted)
    torch.testing.assert_close(logits.next_sentence, everywhere.next_sentence)


def test_masks_are_new_each_time_and_spare_special_tokens():
    draws = torch.Generator().manual_seed(3)
    batches = [TASK.draw(LONGEST, 20, draws) for _ in range(60)]
    for batch in batches:
        special = torch.isin(batch.token_targets, torch.tensor([PAD, CLS, SEP, MASK_ID]))
        assert not special.any()
        assert (batch.token_targets[~batch.real] == IGNORE).all()
    words = sum(int((b.real & ~torch.isin(b.token_ids, torch.tensor([CLS, SEP]))).sum())
                for b in batches)  # fmt: skip
    selected = sum(int((b.token_targets != IGNORE).sum()) for b in batches)
    assert selected / words == pytest.approx(0.3, abs=0.03)
    assert not torch.equal(batches[0].token_targets, batches[1].token_targets)


def test_the_training_rate_is_for_training_alone():
    task = replace(TASK, train_rate=0.9)
    batch, held_out = task.draw(LONGEST, 60, torch.Generator().manual_seed(3)), task.fixed(11, 31)
    share = [float((b.token_targets != IGNORE).sum() / (b.real.sum() - 3 * len(b.real)))
             for b in (batch, held_out)]  # fmt: skip
    assert share[0] == pytest.approx(0.9, abs=0.06)
    assert share[1] == pytest.approx(0.3, abs=0.1)


def test_the_held_out_rows_are_always_the_same():
    first, again = TASK.fixed(LONGEST, 12), TASK.fixed(LONGEST, 12)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))


def test_nothing_selected_teaches_the_pairs_alone(model):
    task = replace(TASK, train_rate=0.0)
    parts = task.losses(model, task.draw(LONGEST, 4, torch.Generator().manual_seed(0)))
    assert parts["mlm"].item() == 0.0 and parts["nsp"].item() > 0
    sum(parts.values()).backward()
    assert model.nsp_head.dense.weight.grad.norm() > 0
    assert model.mlm_head.dense.weight.grad.norm() == 0


def test_grades_by_hand():
    ids = torch.tensor([[CLS, MASK_ID, 9, 7, SEP], [CLS, MASK_ID, 8, 6, SEP]])
    targets = torch.tensor([[IGNORE, 5, 6, 7, IGNORE], [IGNORE, 5, IGNORE, IGNORE, IGNORE]])
    batch = PretrainingBatch(ids, torch.ones(2, 5).bool(), ids * 0, targets, torch.tensor([0, 1]))
    tokens = torch.zeros(4, VOCAB)
    tokens[0, 5], tokens[1, 9], tokens[2, 7], tokens[3, 4] = 2.0, 1.0, 3.0, 9.0
    nsp = torch.tensor([[math.log(3), 0.0], [math.log(4), 0.0]])
    found = _grade(SelectedLogits(tokens, nsp), batch, MASK_ID)
    assert found.right.tolist() == [True, False, True]  # the second pair does not follow
    assert [KINDS[k] for k in found.kind] == ["masked", "random", "kept"]
    others = VOCAB - 1
    wanted = [math.log((math.e**2 + others) / math.e**2), math.log(math.e + others),
              math.log((math.e**3 + others) / math.e**3)]  # fmt: skip
    assert found.surprise.tolist() == pytest.approx(wanted)
    assert found.pair_right.tolist() == [True, False]
    assert found.pair_surprise.tolist() == pytest.approx([math.log(4 / 3), math.log(5)])
    measured = figures(found)
    assert measured["mlm"] == pytest.approx(sum(wanted) / 3)
    assert measured["loss"] == pytest.approx(sum(wanted) / 3 + math.log(20 / 3) / 2)
    assert measured["mlm accuracy"] == pytest.approx(2 / 3)
    assert [measured[f"{k} accuracy"] for k in KINDS] == [1.0, 0.0, 1.0]
    assert measured["nsp accuracy"] == 0.5


def test_grading_in_pieces_is_grading_at_once(model):
    model.train()
    batch = TASK.fixed(LONGEST, 31)
    whole, parts = (grade(model, batch, MASK_ID, size) for size in (31, 4))
    for one, other in zip(whole, parts, strict=True):
        torch.testing.assert_close(one, other)
    assert TASK.measure(model, batch, 4) == pytest.approx(figures(whole))
    assert model.training  # dropout was off, and is on again


def test_figures_of_nothing_are_left_out(model):
    batch = TASK.fixed(LONGEST, 31)._replace(next_targets=torch.ones(31, dtype=torch.int64))
    measured = TASK.measure(model, batch, 31)
    assert set(measured) == {"loss", "nsp", "nsp accuracy"}
    assert measured["loss"] == measured["nsp"]


def test_it_learns_both():
    torch.manual_seed(1)
    model = BertPretraining(replace(SHAPE, d_model=24, dropout=0.0))
    state = TrainState.fresh(model, tiny.config(400, batch_size=16, lr=0.01, eval_every=400))
    first, *_, last = train_on(state, TASK)
    assert last.measured["mlm accuracy"] > first.measured["mlm accuracy"] + 0.3
    assert last.measured["nsp accuracy"] > 0.85
    assert last.measured["nsp"] < 0.5 < first.measured["nsp"]
    assert last.train_loss == pytest.approx(sum(last.parts.values()))


def test_stopping_saving_and_going_on_is_the_same_run(tmp_path):
    def losses(records):
        return [(r.step, r.train_loss, r.parts, r.measured, r.grad_norm) for r in records]

    whole = losses(train_on(fresh(), TASK))
    state, parts = fresh(), []
    for record in train_on(state, TASK):
        parts.append(record)
        if record.step == 5:
            break
    save(state, tmp_path / "run")
    torch.rand(5)
    again = resume(tmp_path / "run")
    assert isinstance(again.model, BertPretraining) and again.step == 5
    assert losses(parts) + losses(train_on(again, TASK)) == whole


@pytest.mark.parametrize(
    ("task", "shape", "error", "message"),
    [
        (TASK, GPTConfig(VOCAB, LONGEST, 12, 1, 3), TypeError, "config must be a BertConfig"),
        (TASK, replace(SHAPE, vocab_size=15), ValueError, "vocab_size must be 14 as for the masks"),
        (TASK, replace(SHAPE, max_seq_len=6), ValueError, "train must fit into max_seq_len=6"),
        (replace(TASK, masking=Masking(MASK_ID, 12)), replace(SHAPE, vocab_size=12), ValueError,
         r"train must lie in \[0, vocab_size=12\), got 13"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_before_the_first_step(task, shape, error, message):
    make = GPT if isinstance(shape, GPTConfig) else BertPretraining
    state = TrainState.fresh(make(shape), tiny.config(3))
    with pytest.raises(error, match=message):
        train_on(state, task)
    assert state.step == 0
