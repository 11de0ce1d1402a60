"""BERT's two losses and how often it is right, while a run goes on, beside the perfect reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from course_lib.plots import style

RECENT = 20  # steps that a point of the train curves averages over
_CLOSE = 0.04  # shares of right answers; lines so near have one name together
_MOST_MARKED = 30  # looks; more markers would lie on each other
_HALO = [withStroke(linewidth=3, foreground="white")]  # keeps names apart from the curves
_NEAR = 0.1  # of an axis; names of ends that are nearer would lie on each other
_ROOM = 1.3  # of a panel, in widths of the run: the rest holds the names of the lines


@dataclass(frozen=True)
class TwoTasks:
    """How to draw and describe a history of BERT's pre-training; for `live` and `show`.

    Records have `step`, `total_steps`, `parts` (losses by name; empty where only looks were kept)
    and `measured` (the same names and the accuracies on held-out pairs; empty where the step did
    not look).

    Attributes:
        words, pairs: the names of the two losses.
        words_right, pairs_right: the names of their accuracies.
        floors: what the perfect reader reaches, by these four names; any may be missing.
        no_skill: what guessing without reading reaches, by the same names.
        most_words, most_pairs: the upper ends of the loss axes, in nats.
    """

    words: str = "mlm"
    pairs: str = "nsp"
    words_right: str = "mlm accuracy"
    pairs_right: str = "nsp accuracy"
    floors: Mapping[str, float] | None = None
    no_skill: Mapping[str, float] | None = None
    most_words: float = 5.0
    most_pairs: float = 0.85

    def draw(self, fig: Figure, history: Sequence[Any]):
        """Three panels over the same steps; their limits stand still."""
        fig.set_layout_engine(None)  # a computed layout takes longer than all the rest
        axes = list(fig.subplots(1, 3))
        fig.subplots_adjust(left=0.05, right=0.99, bottom=0.16, top=0.89, wspace=0.2)
        panels = [
            _Losses(axes[0], self.words, "masked words: loss (nats)", self.most_words),
            _Losses(axes[1], self.pairs, "next sentence: loss (nats)", self.most_pairs),
            _Accuracies(axes[2], self.words_right, self.pairs_right),
        ]
        self._references(axes)

        def update(history: Sequence[Any]) -> list | None:
            total = history[-1].total_steps if history else 1
            grown = [_widen(each, total) for each in axes]
            for panel in panels:
                panel.update(history)
            return None if any(grown) else [a for panel in panels for a in panel.artists]

        update(history)
        return update

    def _references(self, axes: Sequence[Axes]) -> None:
        """The perfect reader's lines, and those of one who does not read."""
        floors, no_skill = self.floors or {}, self.no_skill or {}
        _pointed_at(axes[0], floors.get(self.words), "perfect reader")
        _reference(axes[1], floors.get(self.pairs), "perfect reader", 0.02)
        _reference(axes[0], no_skill.get(self.words), "without reading", 0.99)
        # The pairs' loss starts above this line, runs along it, and falls: there is room between.
        _reference(axes[1], no_skill.get(self.pairs), "without reading", 0.14, gap=8)
        both = [(floors.get(self.words_right), "words"), (floors.get(self.pairs_right), "pairs")]
        known = sorted((y, what) for y, what in both if y is not None)
        if len(known) == 2 and known[1][0] - known[0][0] < _CLOSE:  # one name above both
            _reference(axes[2], known[0][0], "", 0.02)
            known = [(known[1][0], f"{known[1][1]} and {known[0][1]}")]
        for i, (y, what) in enumerate(known):
            lower = i == 0 and len(known) == 2
            _reference(axes[2], y, f"perfect reader, {what}", 0.02, below=lower)

    def say(self, history: Sequence[Any]) -> str:
        """The newest numbers in one sentence."""
        if not history:
            return "No step has been made yet."
        text = f"Step {history[-1].step} of {history[-1].total_steps}"
        looks = [r for r in history if r.measured]
        if not looks:
            return f"{text}; nothing was measured yet."
        found, parts = looks[-1].measured, []
        for name, right, what in (
            (self.words, self.words_right, "masked words"),
            (self.pairs, self.pairs_right, "next sentence"),
        ):
            best = (self.floors or {}).get(right)
            beside = f" (perfect reader {best:.0%})" if best is not None else ""
            parts.append(f"{what} {found[name]:.2f} nats, {found[right]:.0%} right{beside}")
        return f"{text}. On held-out pairs, at step {looks[-1].step}: {'; '.join(parts)}."


class _Losses:
    """A panel with a train curve, averaged, and the looks at held-out pairs."""

    def __init__(self, axes: Axes, name: str, title: str, most: float):
        self.name = name
        axes.set(xlabel="step", ylim=(0, most))
        axes.set_title(title)
        (self.train,) = axes.plot([], [], color=style.TRAIN, linewidth=1.2)
        (self.look,) = axes.plot(
            [], [], color=style.VALIDATION, linestyle="--", marker="o", markersize=5, zorder=3
        )
        self.labels = [style.label_line(axes, 0, 0, "", style.TRAIN) for _ in range(2)]
        self.artists = [self.train, self.look, *self.labels]

    def update(self, history: Sequence[Any]) -> None:
        """Show these records."""
        steps = [(r.step, r.parts[self.name]) for r in history if r.parts]
        recent = _running_means([loss for _, loss in steps])
        self.train.set_data([step for step, _ in steps], recent)
        looks = [(r.step, r.measured[self.name]) for r in history if r.measured]
        _draw_looks(self.look, looks, "o")
        lines = {"train": [(steps[-1][0], recent[-1])] if steps else [], "held out": looks[-1:]}
        there = {name: ends[0] for name, ends in lines.items() if ends}
        _name(self.labels, list(there.values()), tuple(there))


class _Accuracies:
    """The panel of right answers on held-out pairs: masked words and next sentence."""

    def __init__(self, axes: Axes, words: str, pairs: str):
        self.names = (words, pairs)
        axes.set(xlabel="step", ylim=(0, 1.12), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1])
        axes.set_title("right answers, held out")
        axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        self.markers = ("o", "s")
        self.lines = [axes.plot([], [], color=c, markersize=5)[0] for c in (style.Q, style.K)]
        self.labels = [style.label_line(axes, 0, 0, "", c) for c in (style.Q, style.K)]
        self.artists = [*self.lines, *self.labels]

    def update(self, history: Sequence[Any]) -> None:
        """Show these records."""
        ends = []
        for line, name, marker in zip(self.lines, self.names, self.markers, strict=True):
            looks = [(r.step, r.measured[name]) for r in history if r.measured]
            _draw_looks(line, looks, marker)
            ends += looks[-1:]
        _name(self.labels, ends, ("words", "pairs"))


def _draw_looks(line: Line2D, looks: Sequence[tuple[float, float]], marker: str) -> None:
    """Put a line through some looks, with a marker at each unless they are many."""
    line.set_data([step for step, _ in looks], [value for _, value in looks])
    line.set_marker(marker if len(looks) <= _MOST_MARKED else "")


def _running_means(values: Sequence[float]) -> list[float]:
    """Each value averaged with those of the steps before it."""
    sums, means = [0.0], []
    for i, value in enumerate(values):
        sums.append(sums[-1] + value)
        first = max(0, i + 1 - RECENT)
        means.append((sums[-1] - sums[first]) / (i + 1 - first))
    return means


def _name(labels: Sequence, ends: Sequence[tuple[float, float]], texts: Sequence[str]) -> None:
    """Write the names of two lines beside their ends, the higher one up, the lower one down."""
    both = len(ends) == 2
    for i, label in enumerate(labels):
        label.set_text(texts[i] if i < len(ends) else "")
        label.xy = ends[i] if i < len(ends) else (0, 0)
        higher = both and (ends[i][1], -i) > (ends[1 - i][1], i - 1)
        near = both and abs(ends[0][1] - ends[1][1]) < _NEAR * np.ptp(label.axes.get_ylim())
        label.set_position((7, 7 if higher else -7) if near else (7, 0))
        label.set(path_effects=_HALO, zorder=5)


def _reference(
    axes: Axes, y: float | None, text: str, at: float, below: bool = False, gap: float = 3
) -> None:
    """A dashed line with its name, so many points away from it, where there is one."""
    if y is not None:
        _, label = style.reference_line(axes, y, text, at=at, below=below)
        label.xyann = (label.xyann[0], -gap if below else gap)
        label.set(path_effects=_HALO, zorder=4)


def _pointed_at(axes: Axes, y: float | None, text: str) -> None:
    """A dashed line with its name high above it: near the line the curve passes."""
    if y is not None:
        style.reference_line(axes, y, "")
        label = axes.annotate(
            text, (0.6, y), (0.6, 0.42), xycoords=axes.get_yaxis_transform(),
            textcoords="axes fraction", ha="center", color=style.GREY, fontsize=10,
            arrowprops={"arrowstyle": "-", "color": style.GREY, "linewidth": 0.8},
        )  # fmt: skip
        label.set(path_effects=_HALO, zorder=4)


def _widen(axes: Axes, total: int) -> bool:
    """Let the axis of steps reach the last step of the run; True if it changed."""
    if axes.get_xlim() == (0, _ROOM * total):
        return False
    axes.set_xlim(0, _ROOM * total)
    ticks = MaxNLocator(3, integer=True, steps=[1, 2, 2.5, 5, 10]).tick_values(0, total)
    axes.set_xticks([tick for tick in ticks if 0 <= tick <= total])
    return True
