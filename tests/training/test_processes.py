import os

import pytest
import torch
import torch.distributed as dist

from course_lib.training.processes import ALONE, Processes, joined

CPU, CUDA, MPS = map(torch.device, ("cpu", "cuda", "mps"))


def test_without_torchrun_a_process_is_alone(monkeypatch):
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "4")  # some cluster's, not torchrun's
    with joined() as processes:
        assert processes is ALONE
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "x")
    monkeypatch.setenv("WORLD_SIZE", "1")
    with joined() as processes:
        assert processes is ALONE and not dist.is_initialized()


def test_alone_nothing_is_asked_of_anybody():
    assert ALONE.first and ALONE.any(True) and not ALONE.any(False)
    assert ALONE.threads() is None and ALONE.device(MPS) == MPS
    assert not ALONE.lost(RuntimeError("gloo"))
    ALONE.require_rows(1)
    for kind in (ValueError, KeyError, PermissionError):  # as it was, not in other words
        with pytest.raises(kind, match="no"), ALONE.unanimous():
            raise kind("no")


def test_a_build_of_torch_without_processes_is_one_sentence(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "x")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(dist, "is_available", lambda: False)
    with pytest.raises(ValueError, match="this build of torch cannot share"), joined():
        pass


def test_the_cores_are_shared_out(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(9)), raising=False)
    assert [Processes(0, 8, 0, local).threads() for local in (2, 4, 8)] == [4, 2, 1]
    assert Processes(0, 99, 0, 99).threads() == 1
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert Processes(1, 2, 1, 2).threads() == 3


def test_each_process_has_its_own_card(monkeypatch):
    chosen = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    second = Processes(5, 6, 1, 2)  # on the third of three machines
    assert second.device(CUDA) == torch.device("cuda", 1) and chosen == [1]
    assert second.device(CPU) == CPU and chosen == [1]
    with pytest.raises(ValueError, match="at most 2, one for each card .* got 3; --device cpu"):
        Processes(0, 3, 0, 3).device(CUDA)
    with pytest.raises(ValueError, match="must be cuda or cpu for several processes, got mps"):
        second.device(MPS)


def test_a_lost_process_is_told_from_other_errors():
    first = Processes(0, 2)
    assert first.lost(RuntimeError("[gloo/transport/tcp/pair.cc:538] Connection closed by peer"))
    assert first.lost(dist.DistBackendError("NCCL communicator was aborted"))
    assert not first.lost(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))


def test_one_process_speaks_the_first_if_it_lives(monkeypatch):
    monkeypatch.setattr("course_lib.training.processes._FIRST_SPEAKS", 0.2)
    store = dist.HashStore()
    assert [Processes(rank, 3, store=store).speaks() for rank in (0, 1, 2)] == [True, False, False]
    store = dist.HashStore()  # nobody heard of the first
    assert [Processes(rank, 3, store=store).speaks() for rank in (2, 1)] == [True, False]
