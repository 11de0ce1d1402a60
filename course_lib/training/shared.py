"""A task shared by several processes: each grades its rows, and all follow the same gradient."""

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from course_lib.data.randomness import seed_for
from course_lib.training.processes import Processes
from course_lib.training.tasks import Around, Batch, Shareable, same_kind


class Graded(nn.Module):
    """A model with its task: what is called is the grading, so that DDP can wrap any task."""

    def __init__(self, model: nn.Module, task: Shareable):
        super().__init__()
        self.model, self.task = model, task

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """Return the parts of the loss."""
        return dict(self.task.losses(self.model, batch))


class Shared(Around):
    r"""A task of which each process grades its share of every batch.

    A part of the loss is a mean over n answers, of which process r has n_r among its rows.  So

    .. math:: \nabla L = \sum_r \frac{n_r}{n} \nabla L_r
                       = \frac{1}{R} \sum_r \nabla \left( \frac{R \, n_r}{n} L_r \right)

    and the right-hand side is what DistributedDataParallel (DDP) computes: the mean over the R
    processes.  Without the factor, rows of unequal length would count unequally.

    Every process draws the whole batch, which follows from the seed and the step alone, and so
    knows n without asking.  With dropout, each process draws its own zeros: a run is then not
    the same in another number of processes.

    Args:
        task: every weight must take part in every process's grades, since DDP waits for all
            gradients; a part without an answer still hangs on the model, as a sum times 0.
        processes: more than one.

    Source:
        Li et al. 2020, "PyTorch Distributed", section 3.2.
    """

    def __init__(self, task: Shareable, processes: Processes):
        if not callable(getattr(task, "graded", None)):
            raise TypeError("task must count its answers (a method graded) to be shared by "
                            f"processes, got {type(task).__name__}")  # fmt: skip
        super().__init__(task)
        self.processes = processes
        self._wrapped: DistributedDataParallel | None = None

    def losses(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Grade this process's rows; the values are those of the whole batch."""
        rank, world = self.processes.rank, self.processes.world
        own = own_rows(batch, self.processes)
        factors = shares(self.task, own, batch, world)
        if rank:  # the first process draws its dropout as it would alone
            torch.manual_seed(seed_for(torch.initial_seed(), rank, "process"))
        parts = {name: factors[name] * part for name, part in self._graded(model)(own).items()}
        values = torch.stack([part.detach() for part in parts.values()])
        dist.all_reduce(values)
        # part - part is 0, and its gradient is that of the part.
        return {name: value / world + (part - part.detach())
                for (name, part), value in zip(parts.items(), values, strict=True)}  # fmt: skip

    def measure(self, model: nn.Module, batch: Batch, batch_size: int) -> Mapping[str, float]:
        """Measure in the first process alone; the others have nothing to report."""
        return self.task.measure(model, batch, batch_size) if self.processes.first else {}

    def _graded(self, model: nn.Module) -> DistributedDataParallel:
        """The model in DDP, which first gives every process the weights of the first."""
        if self._wrapped is None or self._wrapped.module.model is not model:
            self._wrapped = DistributedDataParallel(Graded(model, self.task))
        return self._wrapped


def own_rows(batch: Batch, processes: Processes) -> Batch:
    """A process's rows of a batch: every ``world``-th, from its rank on."""
    processes.require_rows(len(batch[0]))
    return same_kind(batch, [part[processes.rank :: processes.world] for part in batch])


def shares(task: Shareable, own: Batch, whole: Batch, world: int) -> dict[str, float]:
    """By what each part of a process's loss is multiplied: ``world * n_own / n_whole``."""
    n_own, n_whole = task.graded(own), task.graded(whole)
    return {name: world * n_own[name] / max(1, n_whole[name]) for name in n_whole}
