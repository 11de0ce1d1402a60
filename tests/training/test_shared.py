import sys
from pathlib import Path

import pytest
import shared_training
import tiny
import torch
from torchrun import torchrun

from course_lib.data.randomness import generator_for
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.processes import Processes
from course_lib.training.shared import Shared, own_rows, shares
from course_lib.training.tasks import NextToken, Shareable

NAMES = ("gpt", "bert")


def drawn(name):
    """A task, its model in double precision, and a batch of five rows."""
    run = shared_training.make(name)
    model, task = run.state.model.double(), run.material.task
    return task, model, task.draw(model.config.max_seq_len, 5, generator_for(0, 1, "windows"))


def gradients(model, losses):
    model.zero_grad()
    sum(losses.values()).backward()
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters()}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("world", [1, 2, 3, 5])
def test_the_mean_over_processes_is_the_gradient_of_the_whole_batch(name, world):
    task, model, batch = drawn(name)
    whole = gradients(model, task.losses(model, batch))
    means, plain = ({k: torch.zeros_like(g) for k, g in whole.items()} for _ in range(2))
    for rank in range(world):
        own = own_rows(batch, Processes(rank, world))
        factors = shares(task, own, batch, world)
        shared = {k: factors[k] * loss for k, loss in task.losses(model, own).items()}
        for key, gradient in gradients(model, shared).items():
            means[key] += gradient / world
        for key, gradient in gradients(model, task.losses(model, own)).items():
            plain[key] += gradient / world
    scale = max(float(g.abs().max()) for g in whole.values())
    assert all(torch.allclose(means[k], g, rtol=0, atol=1e-13 * scale) for k, g in whole.items())
    # The rows are of unequal length: averaging the means of the processes is not the same.
    off = max(float((plain[k] - g).abs().max()) for k, g in whole.items())
    assert world == 1 or off > 1e-3 * scale


@pytest.mark.parametrize("name", NAMES)
def test_every_row_belongs_to_one_process(name):
    task, _, batch = drawn(name)
    own = [own_rows(batch, Processes(rank, 3)) for rank in range(3)]
    assert [len(rows[0]) for rows in own] == [2, 2, 1]
    assert all(type(rows) is type(batch) for rows in own)
    for part, pieces in zip(batch, zip(*own, strict=True), strict=True):
        together = torch.empty_like(part)
        for rank, piece in enumerate(pieces):
            together[rank::3] = piece
        assert torch.equal(together, part)


def test_tasks_count_what_their_losses_are_the_mean_of():
    task, model, batch = drawn("gpt")
    assert isinstance(task, Shareable)
    assert task.graded(batch) == {"next token": int((batch[1] != IGNORE).sum())}
    assert task.graded(batch)["next token"] < batch[1].numel()  # some rows are filled up
    task, model, batch = drawn("bert")
    assert isinstance(task, Shareable)
    graded = task.graded(batch)
    assert graded == {"mlm": int((batch.token_targets != IGNORE).sum()), "nsp": 5}
    assert set(graded) == set(task.losses(model, batch))


def test_a_part_without_answers_has_no_share():
    class Rare(NextToken):
        def graded(self, batch):
            return {"rare": int(batch[0].sum())}

    task = Rare(tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    none, some = (torch.zeros(2),), (torch.tensor([0.0, 3.0]),)
    assert shares(task, none, none, 2) == {"rare": 0.0}
    assert shares(task, (some[0][::2],), some, 2) == {"rare": 0.0}
    assert shares(task, (some[0][1::2],), some, 2) == {"rare": 2.0}


def test_fewer_rows_than_processes_and_a_task_that_does_not_count_are_refused(as_shipped):
    batch = torch.zeros(2, 4), torch.zeros(2, 4)
    with pytest.raises(ValueError, match="must be >= 3, one row for each process, got 2"):
        own_rows(batch, Processes(0, 3))
    with pytest.raises(ValueError, match="must be >= 6, one row for each process, got 5"):
        shared_training.make("gpt", Processes(0, 6))
    with pytest.raises(TypeError, match=r"task must count its answers .* got object"):
        as_shipped(Shared.__init__)(Shared.__new__(Shared), object(), Processes(0, 2))


def test_all_but_losses_and_measure_are_the_tasks_own():
    task = NextToken(tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    state, batch = tiny.fresh(), task.fixed(6, 4)
    first, second = (Shared(task, Processes(rank, 2)) for rank in range(2))
    assert isinstance(first, Shareable) and first.graded(batch) == task.graded(batch)
    assert torch.equal(first.fixed(6, 4)[0], batch[0])
    drawn = [each.draw(6, 4, torch.Generator().manual_seed(3)) for each in (task, first, second)]
    assert torch.equal(drawn[1][0], drawn[0][0]) and torch.equal(drawn[2][0], drawn[0][0])
    with pytest.raises(ValueError, match="train_ids must lie in"):
        Shared(NextToken(tiny.TRAIN_IDS + 5, tiny.VALIDATION_IDS), Processes(0, 2)).require_fits(
            tiny.SHAPE
        )
    assert first.measure(state.model, batch, 2) == task.measure(state.model, batch, 2)
    assert second.measure(state.model, batch, 2) == {}


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """What each of two processes found."""
    if sys.platform == "win32":
        pytest.skip("torchrun is tested on Linux and macOS")
    folder = tmp_path_factory.mktemp("two")
    done = torchrun(2, Path(shared_training.__file__), folder)
    assert done.returncode == 0, done.stderr
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(2)]


@pytest.mark.parametrize("name", NAMES)
def test_two_processes_have_the_losses_of_one(two, name):
    alone, (first, second) = shared_training.trained(name), (t[f"trained {name}"] for t in two)
    for expected, parts in zip(alone["parts"], first["parts"], strict=True):
        assert parts == pytest.approx(expected, rel=0, abs=1e-5)
    assert first["norms"] == pytest.approx(alone["norms"], rel=1e-4)
    for expected, measured in zip(alone["measured"], first["measured"], strict=True):
        assert measured == pytest.approx(expected, rel=0, abs=1e-5)
    assert sum(map(bool, first["measured"])) == 3 and not any(second["measured"])
    # It does learn, so that agreement is not that of two models at rest.
    assert sum(alone["parts"][-1].values()) < sum(alone["parts"][0].values()) - 0.2


@pytest.mark.parametrize("name", NAMES)
def test_both_processes_stay_the_same_model_to_the_last_bit(two, name):
    first, second = (t[f"trained {name}"] for t in two)
    assert tiny.same(first["weights"], second["weights"])
    assert (first["parts"], first["norms"]) == (second["parts"], second["norms"])


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_two_processes_are_exact(two, name):
    alone = shared_training.first_gradients(name)
    for found in (t[f"first_gradients {name}"] for t in two):
        for key, value in alone["values"].items():
            assert found["values"][key] == pytest.approx(float(value), rel=1e-13)
        scale = max(float(g.abs().max()) for g in alone["gradients"].values())
        assert found["gradients"].keys() == alone["gradients"].keys()
        for key, gradient in alone["gradients"].items():
            assert torch.allclose(found["gradients"][key], gradient, rtol=0, atol=1e-13 * scale)


def test_each_process_draws_its_own_dropout_and_the_first_that_of_one(two):
    alone = torch.stack(shared_training.trained("gpt")["drawn"])
    first, second = (torch.stack(t["trained gpt"]["drawn"]) for t in two)
    assert torch.equal(first, alone)
    assert not (first == second).any()
    assert len(second.unique(dim=0)) == 8
