"""Interrupts: Ctrl-C, and the notebook's stop button, wait until an update is complete."""

import signal
import threading
from types import FrameType


class HeldInterrupt:
    """Context in which SIGINT is noted instead of raised; :meth:`deliver` hands it on later.

    A KeyboardInterrupt in the middle of an update would leave some weights new and some old.
    Only the main thread receives signals, so elsewhere the context does nothing.

    Args:
        term: whether SIGTERM is noted as well, with which torchrun ends its processes; it would
            otherwise end this one on the spot.
    """

    def __init__(self, term: bool = False):
        self.pending = False
        self._previous = self._ended = None
        self._term = term

    def __enter__(self) -> "HeldInterrupt":
        """Put our handler in place, unless SIGINT is ignored or not Python's to handle."""
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread():
            return self
        if callable(handler):
            self._previous = handler
            signal.signal(signal.SIGINT, self._note)
        if self._term:
            self._ended = signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        """Put the handlers back that were there before."""
        for number, handler in ((signal.SIGINT, self._previous), (signal.SIGTERM, self._ended)):
            if handler is not None:
                signal.signal(number, handler)

    def deliver(self) -> KeyboardInterrupt | None:
        """Hand a held interrupt to the handler that would have had it.

        Returns:
            The KeyboardInterrupt, if that handler raises one (Python's own does), so that the
            caller can finish what it was about to hand out, and raise it then.
        """
        if not self.pending or self._previous is None:
            return None
        self.pending = False
        try:
            self._previous(signal.SIGINT, None)
        except KeyboardInterrupt as interrupt:
            return interrupt
        return None

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Remember that the interrupt came."""
        self.pending = True
