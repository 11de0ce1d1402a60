"""What every test may rely on: one thread, a fixed seed, no two axes of the same size."""

import inspect
import signal

import pytest
import torch
import typecheck
from jaxtyping import config

typecheck.watch()  # before anything of the library is imported
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as under nohup: tests interrupt themselves
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _one_thread_and_a_fixed_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def as_shipped():
    """Strip the shape checks that the test run adds, to see the error that a learner sees."""
    return inspect.unwrap


@pytest.fixture
def unchecked():
    """Switch the shape checks of the test run off, in the parts of a model too."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
