"""Schedules: the learning rate as a function of the step.

Step 0 stands *before* the first update, and all warm-ups below start there with a rate of 0.
Who numbers updates from 0 therefore makes the first one with a rate of 0; see :func:`rates`.
"""

import math
from collections.abc import Callable

from course_lib.config import require_whole


def warm_up(step: float, warmup_steps: int) -> float:
    """The share of the peak at a step: rises in a straight line from 0 to 1, and stays there.

    Args:
        step: 0 stands before the first update.
        warmup_steps: steps until the peak is reached; 0 starts there.
    """
    _require_step(step, warmup_steps)
    return step / warmup_steps if step < warmup_steps else 1.0


def warmup_cosine(
    step: int, *, peak: float, floor: float, warmup_steps: int, total_steps: int
) -> float:
    r"""Rise in a straight line to the peak, fall along half a cosine to the floor, stay there.

    .. math::
        \eta(s) = \eta_{\max} \frac{s}{W} \;(s < W), \qquad
        \eta(s) = \eta_{\min} + \frac{\eta_{\max} - \eta_{\min}}{2}
                  \left(1 + \cos \pi \frac{s - W}{T - W}\right) \;(W \le s \le T)

    Step 0 gives exactly 0, so an update made with it would be wasted: the training loop numbers
    its updates 1, 2, ... and the last of T updates is made with the floor.

    Args:
        step: which update; 0 stands before the first.
        peak: the largest rate, reached at ``warmup_steps``.
        floor: the rate at ``total_steps`` and ever after.  The bare cosine would rise again.
        warmup_steps: W; 0 starts at the peak.
        total_steps: T, beyond the warm-up.

    Raises:
        ValueError: if the numbers describe no such curve.

    Source:
        Linear rise: Vaswani et al. 2017, section 5.3.  Cosine: Loshchilov and Hutter 2017
        (SGDR), equation 5, one period, no restart.
    """
    _require_curve(step, peak, floor, warmup_steps, total_steps)
    if step < warmup_steps:
        return peak * step / warmup_steps
    if step >= total_steps:
        return floor
    progress = (step - warmup_steps) / (total_steps - warmup_steps)  # from 0 to 1
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def warmup_linear(
    step: int, *, peak: float, floor: float, warmup_steps: int, total_steps: int
) -> float:
    """Rise in a straight line to the peak, fall in another to the floor, stay there.

    Arguments and errors are those of :func:`warmup_cosine`.

    Source:
        Devlin et al. 2019, appendix A.2, for BERT.
    """
    _require_curve(step, peak, floor, warmup_steps, total_steps)
    if step < warmup_steps:
        return peak * step / warmup_steps
    if step >= total_steps:
        return floor
    progress = (step - warmup_steps) / (total_steps - warmup_steps)
    return floor + (peak - floor) * (1 - progress)


def warmup_inverse_sqrt(
    step: int,
    *,
    peak: float,
    warmup_steps: int,
    floor: float = 0.0,
    total_steps: float = math.inf,
) -> float:
    r"""Rise in a straight line to the peak, then fall like one over the root of the step.

    .. math:: \eta(s) = \eta_{\max} \min\left(\frac{s}{W}, \sqrt{W / s}\right)

    It needs no end; given one, the rate stays from there on as it is at the end.

    Args:
        step: which update; 0 stands before the first.
        peak: the largest rate, reached at ``warmup_steps``.
        warmup_steps: W, at least 1: it also sets how slowly the rate falls.
        floor: the rate never falls below it once it has reached the peak.
        total_steps: T, beyond the warm-up.

    Raises:
        ValueError: if the numbers describe no such curve.

    Source:
        Vaswani et al. 2017, equation 3; there the peak is 1 / sqrt(d_model * W).
    """
    _require_curve(step, peak, floor, warmup_steps, total_steps)
    if warmup_steps < 1:
        raise ValueError(f"warmup_steps must be >= 1 for this decay, got {warmup_steps}")
    if step < warmup_steps:
        return peak * step / warmup_steps
    return max(floor, peak * math.sqrt(warmup_steps / min(step, total_steps)))


def rates(schedule: Callable[[int], float], n_updates: int, *, first_step: int = 1) -> list[float]:
    """The rate of each of the first updates, in order.

    Args:
        schedule: from the step to the rate.
        n_updates: how many.
        first_step: 1, as this course counts; or 0, as many loops and libraries do, which spends
            the first update on a rate of 0 when there is a warm-up, and never uses the last one.
    """
    require_whole(0, n_updates=n_updates)
    if first_step not in (0, 1):
        raise ValueError(f"first_step must be 0 or 1, got {first_step}")
    return [schedule(first_step + update) for update in range(n_updates)]


def _require_step(step: float, warmup_steps: int) -> None:
    """Raise a ValueError that names the number that is none (NaN fits nowhere)."""
    if not step >= 0:
        raise ValueError(f"step must be >= 0, got {step}")
    if not warmup_steps >= 0:
        raise ValueError(f"warmup_steps must be >= 0, got {warmup_steps}")


def _require_curve(
    step: int, peak: float, floor: float, warmup_steps: int, total_steps: float
) -> None:
    """Raise a ValueError that names the first number that does not fit (NaN fits nowhere)."""
    _require_step(step, 0)
    if not 0 <= peak < math.inf:
        raise ValueError(f"peak must be a finite number >= 0, got {peak}")
    if not 0 <= floor <= peak:
        raise ValueError(f"floor must lie in [0, peak={peak}], got {floor}")
    _require_step(step, warmup_steps)
    if not total_steps > warmup_steps:
        raise ValueError(f"total_steps must be > warmup_steps={warmup_steps}, got {total_steps}")
