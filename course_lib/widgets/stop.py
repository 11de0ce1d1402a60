"""`StopRequest`: let the interrupt button end a loop between two steps instead of inside one."""

import signal
import threading


class StopRequest:
    """Inside the `with` block the first interrupt only sets `made`; a second one raises.

    Python delivers an interrupt between any two bytecodes: after a training step but before its
    record is kept, or in the middle of a drawing.  Held back, it does no harm there.  Only the
    main thread may change signal handlers; elsewhere the block does nothing.
    """

    def __init__(self):
        self.made = False
        # Set while none may raise: when only what must not be lost is left to do, and in the event
        # loop's own code, which an exception would end.
        self.closing = False
        self._before = None

    def __enter__(self) -> "StopRequest":
        handler = signal.getsignal(signal.SIGINT)  # a function, unless interrupts are ignored
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._before = signal.signal(signal.SIGINT, self._on_interrupt)
        return self

    def __exit__(self, *_exception) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _on_interrupt(self, _number, _frame) -> None:
        if self.made and not self.closing:
            raise KeyboardInterrupt
        self.made = True
