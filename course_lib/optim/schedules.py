"""Schedules: the learning rate as a function of the step."""

import math


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


def _require_curve(
    step: int, peak: float, floor: float, warmup_steps: int, total_steps: int
) -> None:
    """Raise a ValueError that names the first number that does not fit (NaN fits nowhere)."""
    if not step >= 0:
        raise ValueError(f"step must be >= 0, got {step}")
    if not 0 <= peak < math.inf:
        raise ValueError(f"peak must be a finite number >= 0, got {peak}")
    if not 0 <= floor <= peak:
        raise ValueError(f"floor must lie in [0, peak={peak}], got {floor}")
    if not warmup_steps >= 0:
        raise ValueError(f"warmup_steps must be >= 0, got {warmup_steps}")
    if not total_steps > warmup_steps:
        raise ValueError(f"total_steps must be > warmup_steps={warmup_steps}, got {total_steps}")
