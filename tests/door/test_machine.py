import pytest

from course_lib.door import machine


def test_this_machine_has_something():
    assert machine.cores() >= 0.1
    size = machine.memory_gb()
    assert size is None or size > 0.5


def test_a_container_gets_its_share(monkeypatch):
    limits = {"cpu.max": "50000 100000", "memory.max": "2000000000\n"}
    monkeypatch.setattr(machine, "_cgroup", limits.get)
    monkeypatch.setattr(machine, "_total_bytes", lambda: 16_000_000_000)
    assert machine.cores() == 0.5
    assert machine.memory_gb() == 2.0


def test_a_container_without_limits_has_the_whole_machine(monkeypatch):
    limits = {"cpu.max": "max 100000", "memory.max": "max\n"}
    before = machine.cores()
    monkeypatch.setattr(machine, "_cgroup", limits.get)
    monkeypatch.setattr(machine, "_total_bytes", lambda: 16_000_000_000)
    assert machine.cores() >= before
    assert machine.memory_gb() == 16.0


def test_memory_that_the_system_does_not_tell_is_unknown(monkeypatch):
    def silent():
        raise OSError

    monkeypatch.setattr(machine, "_total_bytes", silent)
    assert machine.memory_gb() is None


@pytest.mark.parametrize(("name", "answer"), [("JUPYTERHUB_USER", True), ("HOME_USER", False)])
def test_hub(monkeypatch, name, answer):
    for variable in ("JUPYTERHUB_USER", "JUPYTERHUB_API_URL", "BINDER_SERVICE_HOST",
                     "BINDER_REPO_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(name, "ann")
    assert machine.on_a_hub() is answer
