"""More than one process: who takes part in a training, and how they come to terms."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

_FIRST_SPEAKS = 3.0  # seconds that the others give the first process to say what has happened


class Refused(ValueError):
    """What one process could not do, said in all of them."""


@dataclass(frozen=True)
class Processes:
    """The processes of a training, seen from one of them; alone, it is the first of one.

    Args:
        rank: this one's number, from 0.
        world: how many there are.
        local_rank, local_world: the same on this machine.
        store: what they read and write in common besides tensors; outlives any of them.
    """

    rank: int = 0
    world: int = 1
    local_rank: int = 0
    local_world: int = 1
    store: Any = None  # a dist.Store, which not every build of torch has

    @property
    def first(self) -> bool:
        """Whether this is the process that measures, and writes all files."""
        return self.rank == 0

    def any(self, flag: bool) -> bool:
        """Whether it is so in any process; the answer is the same in all, which wait for it."""
        if self.world == 1:
            return flag
        found = torch.tensor(int(flag))
        dist.all_reduce(found, dist.ReduceOp.MAX)
        return bool(found)

    @contextmanager
    def unanimous(self) -> Iterator[None]:
        """Let all processes refuse what one of them refuses inside; none leaves before the others.

        Raises:
            ValueError: as in the process that refused; in that of the lowest rank, if several did.
        """
        refusal = None
        try:
            yield
        except (ValueError, OSError) as error:
            if self.world == 1:
                raise
            refusal = str(error)
        if self.world > 1:
            said = [None] * self.world
            dist.all_gather_object(said, refusal)
            for rank, words in enumerate(said):
                if words is not None:
                    raise Refused(f"Process {rank}: {words}" if rank else words)

    def require_rows(self, batch_size: int) -> None:
        """Raise unless every process gets a row of each batch."""
        if batch_size < self.world:
            raise ValueError(
                f"batch_size must be >= {self.world}, one row for each process, got {batch_size}"
            )

    def device(self, chosen: torch.device) -> torch.device:
        """Return this process's own device of the kind that was chosen.

        Raises:
            ValueError: if there are more processes than cards, or torch cannot share the kind.
        """
        if self.world == 1 or chosen.type == "cpu":
            return chosen
        if chosen.type != "cuda":
            raise ValueError(f"device must be cuda or cpu for several processes, got {chosen}")
        cards = torch.cuda.device_count()
        if self.local_world > cards:
            raise ValueError(
                f"processes must be at most {cards}, one for each card of this machine, "
                f"got {self.local_world}; --device cpu needs no card"
            )
        torch.cuda.set_device(self.local_rank)
        return torch.device("cuda", self.local_rank)

    def threads(self) -> int | None:
        """This process's share of the processor's cores; None, torch's own choice, if alone."""
        if self.world == 1:
            return None
        allowed = getattr(os, "sched_getaffinity", None)  # not every system can say
        cores = len(allowed(0)) if allowed else os.cpu_count() or 1
        return max(1, cores // self.local_world)

    def lost(self, error: RuntimeError) -> bool:
        """Whether an error says that another process has ended, and no fault of this one's."""
        if self.world == 1:
            return False
        # Gloo's errors have no type of their own; their text begins with the place in its code.
        return isinstance(error, dist.DistError) or "gloo" in str(error).lower()

    def speaks(self) -> bool:
        """Whether it is this process that says so: the first, or another if the first is lost."""
        if self.first:
            self.store.set("first", "speaks")
            return True
        deadline = time.monotonic() + _FIRST_SPEAKS
        while time.monotonic() < deadline:
            if self.store.check(["first"]):
                return False
            time.sleep(0.05)
        return self.store.add("others", 1) == 1


ALONE = Processes()


@contextmanager
def joined() -> Iterator[Processes]:
    """Join the processes that torchrun has started; without torchrun, a process is alone.

    Tensors go by gloo between processors, and by NCCL between cards.
    """
    if "TORCHELASTIC_RUN_ID" not in os.environ or int(os.environ["WORLD_SIZE"]) == 1:
        yield ALONE
        return
    if not dist.is_available():
        raise ValueError("torchrun must start one process: this build of torch cannot share work")
    store, rank, world = next(dist.rendezvous("env://"))
    dist.init_process_group(store=store, rank=rank, world_size=world)
    try:
        local = (int(os.environ[name]) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE"))
        yield Processes(rank, world, *local, dist.PrefixStore("course", store))
    finally:
        dist.destroy_process_group()
