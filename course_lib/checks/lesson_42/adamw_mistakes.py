"""Updates that are nearly AdamW's, and what to say to each."""

from dataclasses import dataclass

from course_lib.checks.mistakes import Mistake


@dataclass(frozen=True)
class _Given:
    """All that an update is given."""

    weights: object
    grad: object
    m: object
    v: object
    t: int
    lr: float
    beta1: float
    beta2: float
    eps: float
    weight_decay: float

    @property
    def decay(self):
        """What AdamW takes off the weights for their own sake."""
        return self.lr * self.weight_decay * self.weights


def _m(x):
    return x.beta1 * x.m + (1 - x.beta1) * x.grad


def _v(x):
    return x.beta2 * x.v + (1 - x.beta2) * x.grad**2


def _m_hat(x, m):
    return m / (1 - x.beta1**x.t)


def _v_hat(x, v):
    return v / (1 - x.beta2**x.t)


def _spread(x, v_hat):
    return v_hat**0.5 + x.eps


def _wrong(before=lambda x: x, m=_m, v=_v, m_hat=_m_hat, v_hat=_v_hat, spread=_spread,
           end=lambda x, step: x.weights - x.decay - step,
           kept=lambda x, *both: both[:2]):  # fmt: skip
    """The right update, but for the parts that are given."""

    def wrong(*given):
        x = before(_Given(*given))
        new_m, new_v = m(x), v(x)
        corrected = m_hat(x, new_m), v_hat(x, new_v)
        step = x.lr * corrected[0] / spread(x, corrected[1])
        return end(x, step), *kept(x, new_m, new_v, *corrected)

    return wrong


def _penalised(x):
    """The gradient of the loss with an L2 penalty."""
    return _with_grad(x, x.grad + x.weight_decay * x.weights)


def _with_grad(x, grad):
    return _Given(**{**vars(x), "grad": grad})


def _uncorrected(x, average):
    return average


def _swapped(x):
    return _Given(**{**vars(x), "beta1": x.beta2, "beta2": x.beta1})


def _later(x):
    return _Given(**{**vars(x), "t": x.t + 1})


def _earlier(x):
    return _Given(**{**vars(x), "t": x.t - 1})


def _in_order(*places):
    """The right results, returned in another order."""

    def wrong(*given):
        right = _wrong()(*given)
        return tuple(right[i] for i in places)

    return wrong


MISTAKES = (
    Mistake(
        "L2",
        _wrong(before=_penalised, end=lambda x, step: x.weights - step),
        "This is Adam with L2: the decay is added to the gradient, and so it enters m and v and is "
        "divided. AdamW takes it off the weights directly.",
    ),
    Mistake(
        "L2 and decay",
        _wrong(before=_penalised),
        "The decay acts twice: once inside the gradient, once on the weights. AdamW has the second "
        "alone.",
    ),
    Mistake(
        "decay divided as well",
        lambda w, g, m, v, t, lr, b1, b2, eps, wd: _wrong(
            m_hat=lambda x, m: _m_hat(x, m) + wd * w, end=lambda x, step: x.weights - step
        )(w, g, m, v, t, lr, b1, b2, eps, wd),
        "Your decay is added to the corrected m, above the fraction line, so it is divided by the "
        "root of v like the gradient.",
    ),
    Mistake(
        "no decay",
        _wrong(end=lambda x, step: x.weights - step),
        "This is Adam. The weight decay does nothing.",
    ),
    Mistake(
        "decay without the rate",
        _wrong(end=lambda x, step: x.weights - x.weight_decay * x.weights - step),
        "Your weights shrink by `weight_decay` itself. In the equation it is multiplied by the "
        "learning rate.",
    ),
    Mistake(
        "decay without the weights",
        _wrong(end=lambda x, step: x.weights - x.lr * x.weight_decay - step),
        "You take the same number off every weight. The decay is a share of the weight: it is "
        "multiplied by the weight as well.",
    ),
    Mistake(
        "decay of the new weights",
        _wrong(end=lambda x, step: (x.weights - step) * (1 - x.lr * x.weight_decay)),
        "You make Adam's step first and shrink what comes out of it. The equation takes the decay "
        "of the old weights.",
    ),
    Mistake(
        "decay upwards",
        _wrong(end=lambda x, step: x.weights + x.decay - step),
        "Your decay makes the weights larger. Mind its sign.",
    ),
    Mistake(
        "uphill",
        _wrong(end=lambda x, step: x.weights - x.decay + step),
        "You add Adam's step, which follows the gradient uphill.",
    ),
    Mistake(
        "the change alone",
        _wrong(end=lambda x, step: -x.decay - step),
        "You return the change of the weights. Return the new weights.",
    ),
    Mistake(
        "neither corrected",
        _wrong(m_hat=_uncorrected, v_hat=_uncorrected),
        "Neither average is corrected for its start at 0. Where does `t` come in?",
    ),
    Mistake(
        "m not corrected",
        _wrong(m_hat=_uncorrected),
        "Only v is corrected for its start at 0. So is m.",
    ),
    Mistake(
        "v not corrected",
        _wrong(v_hat=_uncorrected),
        "Only m is corrected for its start at 0. So is v.",
    ),
    Mistake(
        "corrected by the first power",
        _wrong(m_hat=lambda x, m: m / (1 - x.beta1), v_hat=lambda x, v: v / (1 - x.beta2)),
        "Your corrections stay the same in every update. The betas are raised to the power `t`.",
    ),
    Mistake(
        "t counted from 0",
        _wrong(m_hat=lambda x, m: _m_hat(_later(x), m), v_hat=lambda x, v: _v_hat(_later(x), v)),
        "Your powers are one too high: the first update is number 1 already.",
    ),
    Mistake(
        "one power too few",
        _wrong(m_hat=lambda x, m: _m_hat(_earlier(x), m),
               v_hat=lambda x, v: _v_hat(_earlier(x), v)),
        "Your powers are one too low, and at `t` = 1 you divide by 0. The first update is number "
        "1, and its power is 1.",
    ),
    Mistake(
        "beta1 corrects both",
        _wrong(v_hat=lambda x, v: v / (1 - x.beta1**x.t)),
        "You correct v by the power of `beta1`. Its own beta is `beta2`.",
    ),
    Mistake(
        "beta times t",
        _wrong(m_hat=lambda x, m: m / (1 - x.beta1 * x.t),
               v_hat=lambda x, v: v / (1 - x.beta2 * x.t)),
        "You multiply the betas by `t`. They are raised to that power.",
    ),
    Mistake(
        "power of the difference",
        _wrong(m_hat=lambda x, m: m / (1 - x.beta1) ** x.t,
               v_hat=lambda x, v: v / (1 - x.beta2) ** x.t),
        "You raise one minus beta to the power `t`. It is one minus the power of beta.",
    ),
    Mistake(
        "eps before the correction",
        _wrong(spread=lambda x, v: (v * (1 - x.beta2**x.t)) ** 0.5 / (1 - x.beta2**x.t) ** 0.5
               + x.eps / (1 - x.beta2**x.t) ** 0.5),
        "You add `eps` to the root of the uncorrected v. Here it is added after the correction. "
        "(Some libraries do it your way; their `eps` is another number.)",
    ),
    Mistake(
        "corrected after the root",
        _wrong(spread=lambda x, v: (v * (1 - x.beta2**x.t)) ** 0.5 / (1 - x.beta2**x.t) + x.eps),
        "Your correction of v comes after the root. It is v itself that is corrected.",
    ),
    Mistake(
        "corrected averages kept",
        _wrong(kept=lambda x, m, v, m_hat, v_hat: (m_hat, v_hat)),
        "The weights are right. But you return the corrected averages; the next update needs the "
        "uncorrected ones.",
    ),
    Mistake(
        "old averages returned",
        _wrong(kept=lambda x, *made: (x.m, x.v)),
        "The weights are right. But you return the averages that you were given: your optimiser "
        "would remember nothing.",
    ),
    Mistake(
        "weights last",
        _in_order(1, 2, 0),
        "All three are right, in another order: first the weights, then m, then v.",
    ),
    Mistake(
        "v before m",
        _in_order(0, 2, 1),
        "All three are right, but m comes before v.",
    ),
    Mistake(
        "eps inside the root",
        _wrong(spread=lambda x, v: (v + x.eps) ** 0.5),
        "Your `eps` stands inside the root. Adam adds it outside.",
    ),
    Mistake(
        "no eps",
        _wrong(spread=lambda x, v: v**0.5),
        "`eps` is missing from what you divide by.",
    ),
    Mistake(
        "no root",
        _wrong(spread=lambda x, v: v + x.eps),
        "You divide by v itself, an average of squares. Take its root.",
    ),
    Mistake(
        "gradient in place of m",
        _wrong(m_hat=lambda x, m: x.grad),
        "The averages are right, but your step goes along this one gradient. It goes along m.",
    ),
    Mistake(
        "old averages used",
        _wrong(m_hat=lambda x, m: _m_hat(x, x.m), v_hat=lambda x, v: _v_hat(x, x.v)),
        "Your step uses the averages from before this gradient. Take it in first.",
    ),
    Mistake(
        "v not squared",
        _wrong(v=lambda x: x.beta2 * x.v + (1 - x.beta2) * x.grad),
        "Your v averages the gradient, not its square, and the root of a negative number is nan.",
    ),
    Mistake(
        "v of the gradient",
        _wrong(v=lambda x: x.beta2 * x.v + (1 - x.beta2) * abs(x.grad)),
        "Your v averages the size of the gradient. It averages the square.",
    ),
    Mistake(
        "v of the average",
        _wrong(v=lambda x: x.beta2 * x.v + (1 - x.beta2) * _m(x) ** 2),
        "Your v averages the squares of m. It averages the squares of the gradient.",
    ),
    Mistake(
        "betas swapped",
        _wrong(before=_swapped),
        "The betas are swapped: `beta1` belongs to m, `beta2` to v.",
    ),
    Mistake(
        "shares swapped",
        _wrong(m=lambda x: (1 - x.beta1) * x.m + x.beta1 * x.grad,
               v=lambda x: (1 - x.beta2) * x.v + x.beta2 * x.grad**2),
        "A beta is the share of the old average that is kept; you keep one minus it.",
    ),
    Mistake(
        "new share forgotten",
        _wrong(m=lambda x: x.beta1 * x.m + x.grad, v=lambda x: x.beta2 * x.v + x.grad**2),
        "You add the whole gradient. In an average the old share and the new one sum to 1.",
    ),
)  # fmt: skip
