import signal
import threading

import pytest

from course_lib.widgets.stop import StopRequest


def test_the_first_interrupt_is_noted_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), StopRequest() as stop:
        assert not stop.made
        signal.raise_signal(signal.SIGINT)
        assert stop.made
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_ignored_interrupts_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with StopRequest() as stop:
            signal.raise_signal(signal.SIGINT)
        assert not stop.made and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_runs_without_it():
    seen = []

    def work():
        with StopRequest() as stop:
            seen.append(stop.made)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


def test_while_closing_no_press_raises():
    with StopRequest() as stop:
        signal.raise_signal(signal.SIGINT)
        stop.closing = True
        signal.raise_signal(signal.SIGINT)
    assert stop.made
