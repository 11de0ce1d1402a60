"""Past the trained length: how often a model is right, and what its scores do there."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V, label_line

LOOKS = {
    "learned": (Q, "-", "o"),
    "sinusoidal": (V, "--", "s"),
    "rotary": (K, "-", "^"),
    "none": (GREY, ":", "x"),
}
BIN = 12  # positions averaged into one point


def draw_accuracy(fig, data):
    """Draw accuracy against position, one panel a task, one line a kind of positions.

    ``data`` is ``(trained, {task: {kind: [accuracy by position of one run, ...]}})``.
    """
    trained, tasks = data
    panels = fig.subplots(1, len(tasks), sharey=True)
    for axes, (task, kinds) in zip(panels, tasks.items(), strict=True):
        for kind, runs in kinds.items():
            _runs(axes, kind, runs)
        _trained(axes, trained)
        axes.set(ylim=(-0.12, 1.08), xlabel="position in the text")
        axes.set_title(f'"{task}"')
    panels[0].set_ylabel("right answers")
    panels[0].set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    fig.legend(
        *panels[0].get_legend_handles_labels(), loc="outside right center", title="positions",
        handlelength=3,
    )  # fmt: skip


def say_accuracy(data) -> str:
    """Say each kind's accuracy inside and past the trained length, for each task."""
    trained, tasks = data
    parts = []
    for task, kinds in tasks.items():
        shares = ", ".join(
            f"{kind} {inside:.0%} then {past:.0%}"
            for kind, (inside, past) in ((k, in_and_past(trained, r)) for k, r in kinds.items())
        )
        parts.append(f'"{task}": {shares}')
    return f"Right answers up to position {trained} and past it. {'; '.join(parts)}."


def in_and_past(trained, runs):
    """Mean accuracy inside the trained length and past it, over runs."""
    runs = np.asarray(runs)
    return float(np.nanmean(runs[:, :trained])), float(runs[:, trained:].mean())


def draw_scores(fig, data):
    """Draw attention scores against the distance, one panel a task.

    ``data`` is ``(trained, {task: scores by distance})``.
    """
    trained, tasks = data
    panels = fig.subplots(1, len(tasks), sharey=True)
    for axes, (task, scores) in zip(panels, tasks.items(), strict=True):
        scores = np.asarray(scores)
        axes.plot(np.arange(len(scores)), scores, color=K)
        best = int(scores[:trained].argmax())
        axes.axhline(scores[best], color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.margins(y=0.16)
        axes.plot([best], [scores[best]], "o", color=K)
        label_line(axes, best, float(scores[best]), f"distance {best}", GREY, dx=4, dy=9)
        _trained(axes, trained)
        axes.set(xlabel="distance back in positions")
        axes.set_title(f'"{task}"')
    panels[0].set_ylabel("score (nats)")


def say_scores(data) -> str:
    """Say where the score is highest within the trained distances, and whether it stays so."""
    trained, tasks = data
    parts = []
    for task, scores in tasks.items():
        scores = np.asarray(scores)
        best = int(scores[:trained].argmax())
        parts.append(
            f'"{task}": highest at distance {best} with {scores[best]:.0f} nats; the highest at '
            f"untrained distances is {scores[trained:].max():.0f}, at the last one "
            f"{scores[-1]:.0f}"
        )
    return f"{'. '.join(parts)}."


def _runs(axes, kind, runs):
    """The mean over runs as a line, each run as faint points."""
    colour, dash, marker = LOOKS[kind]
    runs = np.asarray(runs)
    places, values = _binned(runs)
    for row in values:
        axes.plot(places, row, marker, color=colour, markersize=3, alpha=0.35, linestyle="")
    axes.plot(places, values.mean(axis=0), color=colour, linestyle=dash, marker=marker,
              markersize=5, label=kind)  # fmt: skip


def _binned(runs):
    n = runs.shape[1] // BIN
    parts = runs[:, : n * BIN].reshape(len(runs), n, BIN)
    return np.arange(n) * BIN + (BIN - 1) / 2, np.nanmean(parts, axis=2)


def _trained(axes, trained):
    axes.axvspan(0, trained, color=FAINT, alpha=0.6, linewidth=0, zorder=0)
    axes.annotate("trained", (trained, 0.02), (-4, 0), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="right", va="bottom", color=GREY)  # fmt: skip
