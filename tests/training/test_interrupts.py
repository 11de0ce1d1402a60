import _thread
import random
import signal
import threading

import pytest
import tiny
import torch

from course_lib.training.interrupts import HeldInterrupt
from course_lib.training.loop import train


def test_an_interrupt_waits():
    handler = signal.getsignal(signal.SIGINT)
    reached = False
    with HeldInterrupt() as held:
        signal.raise_signal(signal.SIGINT)
        reached = True
    assert reached
    assert held.pending
    assert signal.getsignal(signal.SIGINT) is handler
    assert isinstance(held.deliver(), KeyboardInterrupt)
    assert held.deliver() is None  # once is enough


def test_the_handler_comes_back_after_an_error():
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError), HeldInterrupt():
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is handler


def test_another_handler_gets_what_was_held():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with HeldInterrupt() as held:
            signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert held.deliver() is None
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with HeldInterrupt() as held:
            signal.raise_signal(signal.SIGINT)
        held.deliver()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_it_does_nothing():
    handler, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with HeldInterrupt() as held:
            seen.append(signal.getsignal(signal.SIGINT))
        held.deliver()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]


def test_the_record_of_the_interrupted_step_still_comes():
    state = tiny.fresh()
    hook = state.model.register_forward_hook(lambda *_: signal.raise_signal(signal.SIGINT))
    records = train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    first = next(records)
    hook.remove()
    assert (first.step, state.step) == (1, 1)
    assert first.validation_loss is not None
    with pytest.raises(KeyboardInterrupt):
        next(records)
    assert [r.step for r in train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)][0] == 2


def test_a_handler_that_only_listens_hears_before_the_record_comes():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        state = tiny.fresh()
        hook = state.model.register_forward_hook(lambda *_: signal.raise_signal(signal.SIGINT))
        records = train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
        next(records)
        assert heard == [signal.SIGINT]
        hook.remove()
        assert next(records).step == 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_many_interrupts_at_any_moment_change_nothing():
    n_steps, clock = 150, random.Random(3)
    reference = tiny.fresh(n_steps)
    expected = {r.step: r for r in train(reference, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)}
    typical = sorted(r.seconds for r in expected.values())[n_steps // 2]

    state, interrupts = tiny.fresh(n_steps), 0
    while state.step < n_steps:
        timer = threading.Timer(clock.uniform(0, 3 * typical), _thread.interrupt_main)
        try:
            timer.start()
            for record in train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS):
                assert record.train_loss == expected[record.step].train_loss
                assert record.validation_loss == expected[record.step].validation_loss
            timer.join()
            for _ in range(1000):  # the interrupt of a late timer is raised in here
                pass
        except KeyboardInterrupt:
            interrupts += 1
        timer.join()
        counts = {int(memory["step"]) for memory in state.optimizer.state.values()}
        assert counts <= {state.step}
    assert interrupts > n_steps / 10
    assert tiny.same(tiny.everything(state), tiny.everything(reference))
    assert torch.is_grad_enabled()


def test_sigterm_is_noted_when_asked_for_and_its_handler_comes_back():
    before = signal.getsignal(signal.SIGTERM)
    with HeldInterrupt(term=True) as held:
        signal.raise_signal(signal.SIGTERM)
        assert held.pending
    assert signal.getsignal(signal.SIGTERM) == before
    with HeldInterrupt():
        assert signal.getsignal(signal.SIGTERM) == before
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as for a process in the background
    try:
        with HeldInterrupt(term=True) as held:
            signal.raise_signal(signal.SIGTERM)
        assert held.pending and held.deliver() is None
    finally:
        signal.signal(signal.SIGINT, previous)
