"""A guard at the door of the optimiser: a batch with a gradient far longer than usual stays out."""

import math
from collections.abc import Mapping

from course_lib.config import require_fraction, require_number, require_whole


class SpikeGuard:
    r"""Skip a batch whose gradient norm is far above the moving average of those let in.

    .. math:: \text{let in if } n \le k\,m, \qquad m \leftarrow \beta\,m + (1 - \beta)\,n
              \text{ for those let in}

    Ask before the update: ``if guard.lets_in(norm): optimizer.step()``.

    A norm that is not finite is never let in and never touches the average.  A long one that
    was skipped does not touch it either, or a few spikes would raise the bar for the next.  That
    has a price: when the norms have risen for good, every batch would be skipped for ever.  So
    after ``patience`` long ones in a row the next is let in, and the average starts anew from it.
    When ``patience`` norms in a row are not finite, no batch is to blame, and the next such
    norm is an error.

    Args:
        factor: k; how many times the average is still let in, > 1.
        decay: beta; the average looks back over about 1 / (1 - beta) updates.
        settle: the first so many finite norms are all let in, while the average forms.
        patience: how many in a row may be skipped.

    Attributes:
        average: m, or None before the first finite norm.
        n_seen: norms that were asked about.
        n_skipped: those that were not let in; the not finite ones are among them.
        n_not_finite: those that were inf or NaN.

    Source:
        The plain rule is custom, without one origin.  Chowdhery et al. 2022 (PaLM), section 5.1,
        also skip data, but later: they go back to a checkpoint before the spike first.
    """

    def __init__(
        self, factor: float = 4.0, *, decay: float = 0.95, settle: int = 10, patience: int = 10
    ):
        require_number(factor=factor)
        if factor <= 1:
            raise ValueError(f"factor must be > 1, got {factor}")
        require_fraction(decay=decay)
        require_whole(0, settle=settle)
        require_whole(1, patience=patience)
        self.factor, self.decay, self.settle, self.patience = factor, decay, settle, patience
        self.average: float | None = None
        self.n_seen = self.n_skipped = self.n_not_finite = 0
        self._long_in_a_row = self._not_finite_in_a_row = 0

    def lets_in(self, norm: float) -> bool:
        """Say whether the update may be made, and remember this norm.

        Raises:
            TypeError, ValueError: if ``norm`` is no number >= 0 (inf and NaN are allowed), or
                is not finite for the ``patience + 1``-th time in a row.
        """
        norm = _as_norm(norm)
        self.n_seen += 1
        if not math.isfinite(norm):
            return self._refuse_not_finite(norm)
        self._not_finite_in_a_row = 0
        if self._is_long(norm):
            if self._long_in_a_row < self.patience:
                self._long_in_a_row += 1
                self.n_skipped += 1
                return False
            self.average = None  # the norms have risen for good
        self._long_in_a_row = 0
        self._remember(norm)
        return True

    def _is_long(self, norm: float) -> bool:
        """Whether this norm is far above an average that has settled."""
        settled = self.n_seen - self.n_not_finite > self.settle
        return settled and self.average is not None and norm > self.factor * self.average

    def _remember(self, norm: float) -> None:
        """Let the norm into the average; the first one is the average."""
        if self.average is None:
            self.average = norm
        else:
            self.average = self.decay * self.average + (1 - self.decay) * norm

    def _refuse_not_finite(self, norm: float) -> bool:
        """Count it and say no; an error once skipping cannot be what helps."""
        self.n_skipped += 1
        self.n_not_finite += 1
        self._not_finite_in_a_row += 1
        if self._not_finite_in_a_row > self.patience:
            raise ValueError(
                f"norm must be finite at least once in {self.patience + 1} batches, got {norm} "
                f"each time: not a batch but the model is broken, go back to a checkpoint"
            )
        return False

    def state_dict(self) -> dict[str, float | int | None]:
        """What a resumed run needs in order to decide as this one would; plain numbers."""
        return {name: getattr(self, key) for name, key in _STATE.items()}

    def load_state_dict(self, state: Mapping[str, float | int | None]) -> None:
        """Go on from ``state_dict()``; nothing changes when the state does not fit.

        Raises:
            ValueError, TypeError: if a name is missing or unknown, or a value cannot be right.
        """
        if set(state) != set(_STATE):
            raise ValueError(f"state must have the names {sorted(_STATE)}, got {sorted(state)}")
        if state["average"] is not None:
            require_number(average=state["average"])
            if state["average"] < 0:
                raise ValueError(f"average must be >= 0 or None, got {state['average']}")
        require_whole(0, **{name: value for name, value in state.items() if name != "average"})
        for name, key in _STATE.items():
            setattr(self, key, state[name])


_STATE = {
    "average": "average",
    "n_seen": "n_seen",
    "n_skipped": "n_skipped",
    "n_not_finite": "n_not_finite",
    "long_in_a_row": "_long_in_a_row",
    "not_finite_in_a_row": "_not_finite_in_a_row",
}


def _as_norm(norm: object) -> float:
    """The norm as a float, from a number or a tensor of one number."""
    try:
        value = float(norm)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"norm must be one number, got {norm!r}") from None
    if value < 0:
        raise ValueError(f"norm must be >= 0, got {value}")
    return value
