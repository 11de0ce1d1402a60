import pytest
import torch

from course_lib.config import BertConfig, GPTConfig, TrainConfig
from course_lib.data.labelled_texts import labelled_texts
from course_lib.mechanisms.losses import IGNORE
from course_lib.models.bert import Bert
from course_lib.models.fine_tuned import FineTuned
from course_lib.models.heads import SentenceHead, SpanHead, TagHead
from course_lib.tokenizers.bert_pair import EncodedPair
from course_lib.training.fine_tuning import Answering, Classifying, Tagging
from course_lib.training.loop import train_on
from course_lib.training.processes import Processes
from course_lib.training.shared import own_rows, shares
from course_lib.training.state import TrainState
from course_lib.training.tasks import Shareable, Task

SHAPE = BertConfig(11, 9, d_model=16, n_layers=1, n_heads=2, init_std=0.2)
FOUND = 7  # the token that the answers are about


def texts(n, seed, label):
    """Texts of 6 to 9 tokens, one of which is FOUND; its place is drawn."""
    draw = torch.Generator().manual_seed(seed)
    inputs, labels = [], []
    for i in range(n):
        ids = torch.randint(1, 6, (6 + i % 4,), generator=draw)
        at = int(torch.randint(2, len(ids) - 1, (), generator=draw))
        ids[at] = FOUND
        inputs.append(EncodedPair(tuple(ids.tolist()), (0, 0) + (1,) * (len(ids) - 2)))
        labels.append(label(ids, at))
    return labelled_texts(inputs, torch.stack(labels), pad_id=0)


def parity(ids, at):
    return ids[at - 1] % 2  # of the token before it


def span(ids, at):
    return torch.tensor([at, min(at + 1, len(ids) - 1)])


def tags(ids, at):
    row = torch.full((9,), IGNORE)
    row[1 : len(ids)] = 0
    row[at] = 2
    row[at - 1 if at > 2 else at] = 1 if at > 2 else 2
    return row


KINDS = [
    (Classifying, parity, lambda: SentenceHead(16, 2)),
    (Answering, span, lambda: SpanHead(16)),
    (Tagging, tags, lambda: TagHead(16, 3)),
]


def made(kind, label, head, n=24):
    task = kind(texts(n, 1, label), texts(10, 2, label))
    torch.manual_seed(0)
    return task, FineTuned(Bert(SHAPE), head())


@pytest.mark.parametrize(("kind", "label", "head"), KINDS)
def test_the_measure_does_not_depend_on_how_it_is_cut(kind, label, head):
    task, model = made(kind, label, head)
    batch = task.fixed(9, 10)
    whole = task.measure(model, batch, 10)
    for size in (1, 3):
        assert task.measure(model, batch, size) == pytest.approx(whole, abs=1e-6)
    (loss,) = task.losses(model.eval(), batch).values()
    assert whole["loss"] == pytest.approx(loss.item(), abs=1e-6)
    assert task.score in whole and isinstance(task, Task)


@pytest.mark.parametrize(("kind", "label", "head"), KINDS)
def test_padding_is_not_graded(kind, label, head):
    task, model = made(kind, label, head)
    batch = task.validation.pick(torch.tensor([0, 4]))  # six tokens each, no padding
    assert batch.real.all()
    longer = task.validation.pick(torch.tensor([0, 4, 3]))  # the third has nine
    others = task.validation.pick(torch.tensor([3]))
    means = [task.measure(model, rows, 5) for rows in (batch, others, longer)]
    weights = [task.n_graded(rows.labels) for rows in (batch, others)]
    total = sum(w * m["loss"] for w, m in zip(weights, means[:2], strict=True)) / sum(weights)
    assert means[2]["loss"] == pytest.approx(total, abs=1e-6)


@pytest.mark.parametrize(("kind", "label", "head"), KINDS)
def test_processes_that_share_a_batch_have_its_loss(kind, label, head):
    task, model = made(kind, label, head)
    batch = task.fixed(9, 5)
    assert isinstance(task, Shareable) and batch.real.sum(-1).unique().numel() > 1
    (whole,), means = task.losses(model.eval(), batch).values(), []
    for rank in range(2):
        own = own_rows(batch, Processes(rank, 2))
        ((name, loss),) = task.losses(model, own).items()
        means.append(shares(task, own, batch, 2)[name] * loss)
    assert torch.stack(means).mean().item() == pytest.approx(whole.item(), abs=1e-6)


@pytest.mark.parametrize(("kind", "label", "head"), KINDS)
def test_a_head_learns_its_task(kind, label, head):
    task, model = made(kind, label, head)
    config = TrainConfig(150, batch_size=12, lr=1e-2, min_lr=0.0, warmup_steps=10, eval_every=150)
    first, *_, last = list(train_on(TrainState.fresh(model, config), task))
    assert last.train_loss < 0.3 * first.train_loss
    learnt = task.measure(model, task.train.pick(torch.arange(len(task.train))), 12)
    assert learnt[task.score] > 0.9


def test_right_answers_by_hand():
    task, model = made(*KINDS[2])
    rows = task.validation.pick(torch.arange(3))
    perfect = torch.nn.functional.one_hot(rows.labels.clamp(min=0), 3).float()
    right = task.right(perfect, rows)
    assert right["all words"].all() and right["tag accuracy"].all()
    assert len(right["tag accuracy"]) == int((rows.labels > 0).sum())
    nothing = torch.zeros_like(perfect)
    nothing[..., 0] = 1.0
    assert not task.right(nothing, rows)["tag accuracy"].any()
    assert task.right(nothing, rows)["all words"].double().mean() > 0.5


def test_an_answer_outside_the_second_text_is_never_taken():
    task, model = made(*KINDS[1])
    rows = task.validation.pick(torch.arange(3))
    high = torch.zeros(3, rows.token_ids.shape[1])
    high[:, 0] = 9.0  # [CLS]
    high.scatter_(1, rows.labels[:, :1], 5.0)
    low = torch.zeros_like(high).scatter_(1, rows.labels[:, 1:], 5.0)
    assert task.right(type(model(*rows[:3]))(high, low), rows)["exact match"].all()


def test_what_does_not_fit_is_named():
    task, _ = made(*KINDS[0])
    with pytest.raises(TypeError, match="config must be a BertConfig, got GPTConfig"):
        task.require_fits(GPTConfig(11, 9, 16, 1, 2))
    with pytest.raises(ValueError, match="train must fit into max_seq_len=8, got a text of 9"):
        task.require_fits(BertConfig(11, 8, 16, 1, 2))
    with pytest.raises(ValueError, match=r"train must lie in \[0, vocab_size=7\), got 7"):
        task.require_fits(BertConfig(7, 9, 16, 1, 2))
