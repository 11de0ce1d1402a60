"""Update rules that walk over a loss of two weights: a map, and the loss along the way."""

import numpy as np

from course_lib.plots.style import AS_TEXT, FAINT, GREY, K, Q, V

LOOKS = {
    "SGD": (GREY, ":"),
    "momentum": (V, "-."),
    "Adam": (Q, "--"),
    "Adam + L2": (K, "-"),
    "AdamW": ("#000000", "-"),
}
FAR = 50.0  # where a walk that has left the map is drawn, beyond its edge


def draw_for(surface_map, minimum, n_steps: int, rules=tuple(LOOKS)):
    """Return a ``draw``.

    Args:
        surface_map: x [n], y [n] and the loss [n n] over them, a row for each y.
        minimum: the pair of weights with the smallest loss.
        n_steps: the right edge of the loss curve.
        rules: which walks the records hold, in the order of the legend.
    """

    def draw(fig, history):
        left, right = fig.subplots(1, 2, width_ratios=(1.3, 1))
        _draw_map(left, surface_map, minimum)
        right.set(xlim=(0, n_steps), ylim=(1e-4, 10), yscale="log", xlabel="step", ylabel="loss")
        walks, losses, ends = {}, {}, {}
        for rule in rules:
            colour, dash = LOOKS[rule]
            style = {"color": colour, "linestyle": dash, "linewidth": 1.8}
            (walks[rule],) = left.plot([], [], label=rule, **style)
            (losses[rule],) = right.plot([], [], **style)
            (ends[rule],) = left.plot([], [], "o", color=colour, markeredgecolor="white", ms=8)
        fig.legend(handles=list(walks.values()), loc="outside right center", handlelength=3)

        def update(history):
            steps = [record.step for record in history]
            for rule in rules:
                x, y = _within([record.positions[rule] for record in history])
                walks[rule].set_data(x, y)
                ends[rule].set_data(x[-1:], y[-1:])
                losses[rule].set_data(steps, _visible([r.losses[rule] for r in history]))
            return [*walks.values(), *losses.values(), *ends.values()]

        update(history)
        return update

    return draw


def say(history) -> str:
    """Say where every walk stands."""
    if not history:
        return "No step has been made."
    last = history[-1]
    ends = "; ".join(f"{rule} {_where(pair)}" for rule, pair in last.positions.items())
    return f"Step {last.step}: {ends}."


def _draw_map(axes, surface_map, minimum) -> None:
    """Lines of equal loss, the lowest place, and the place that a decay pulls to."""
    x, y, loss = (np.asarray(part) for part in surface_map)
    axes.contour(x, y, loss, levels=np.geomspace(0.003, 6, 12), colors=FAINT, linewidths=1.2)
    axes.plot(*minimum, "*", color=AS_TEXT[V], ms=13)
    axes.plot(0, 0, "+", color=GREY, ms=12, mew=2)
    axes.annotate("least loss", minimum, (8, -12), textcoords="offset points", color=AS_TEXT[V])
    axes.annotate("0", (0, 0), (-12, -14), textcoords="offset points", color=GREY)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), xlabel="first weight", ylabel="second weight")


def _within(pairs) -> tuple[np.ndarray, np.ndarray]:
    """Both coordinates, those far off (or no number) put just beyond the edge of the map."""
    points = np.nan_to_num(np.array(pairs, dtype=float).reshape(-1, 2), nan=FAR)
    return tuple(np.clip(points, -FAR, FAR).T)


def _visible(losses) -> np.ndarray:
    """Losses that a logarithmic axis can show."""
    return np.clip(np.nan_to_num(np.array(losses, dtype=float), nan=1e9), 1e-9, 1e9)


def _where(pair) -> str:
    """A place in words."""
    if not np.isfinite(pair).all() or max(abs(p) for p in pair) > FAR:
        return "has left the map"
    return f"at ({pair[0]:.2f}, {pair[1]:.2f})".replace("-0.00", "0.00")
