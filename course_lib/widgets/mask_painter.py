"""A mask to paint: click who may read whom, see the shares and who can know what."""

from collections.abc import Sequence
from pathlib import Path

import anywidget
import torch
import traitlets

from course_lib.config import require_number, require_whole
from course_lib.experiments.who_knows import WORDS, masks_for, reachable
from course_lib.mechanisms.softmax import softmax
from course_lib.plots.mask_painter import Painted, draw, say
from course_lib.plots.show import show
from course_lib.widgets.still import WithSentence

_HERE = Path(__file__).parent
MOST_WORDS, MOST_LAYERS = 8, 4


class MaskPainter(WithSentence, anywidget.AnyWidget):
    """The widget; all painting happens in the browser, Python follows.

    Attributes:
        visible: The mask, row by row; True where the query (row) may read the key (column).
        chosen: Which token's reading is told in words, counted from 0.
        layers: How many layers of attention stand one above the other.
    """

    _esm = (_HERE / "mask_painter.js").read_text(encoding="utf8")
    _css = (_HERE / "mask_painter.css").read_text(encoding="utf8")
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    presets = traitlets.Dict().tag(sync=True)
    visible = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    layers = traitlets.Int(1).tag(sync=True)
    start = traitlets.Dict().tag(sync=True)

    @traitlets.validate("visible")
    def _check_visible(self, proposal: dict) -> list[list[bool]]:
        rows, n = [list(row) for row in proposal["value"]], len(self.words)
        bools = all(isinstance(on, bool) for row in rows for on in row)
        if len(rows) != n or any(len(row) != n for row in rows) or not bools:
            raise ValueError(f"visible must be {n} rows of {n} times True or False, got {rows}")
        return rows

    @traitlets.validate("chosen")
    def _check_chosen(self, proposal: dict) -> int:
        if not 0 <= proposal["value"] < len(self.words):
            raise ValueError(
                f"chosen must lie between 0 and {len(self.words) - 1}, got {proposal['value']}"
            )
        return proposal["value"]

    @traitlets.validate("layers")
    def _check_layers(self, proposal: dict) -> int:
        if not 1 <= proposal["value"] <= MOST_LAYERS:
            raise ValueError(
                f"layers must lie between 1 and {MOST_LAYERS}, got {proposal['value']}"
            )
        return proposal["value"]

    @property
    def shares(self) -> list[list[float]]:
        """Softmax of each row, hidden keys left out; NaN in a row that may read nothing."""
        scores = torch.tensor(self.scores, dtype=torch.float64)
        return softmax(scores.masked_fill(~torch.tensor(self.visible), -torch.inf)).tolist()

    @property
    def levels(self) -> list[list[bool]]:
        """What the chosen token draws on: in the input, and after each layer up to the last."""
        visible = torch.tensor(self.visible)
        ways = range(self.layers, -1, -1)
        return [reachable(visible, n)[self.chosen].tolist() for n in ways]

    @property
    def nan(self) -> list[list[bool]]:
        """Where the stack holds NaN: first the empty rows, one layer later everything."""
        empty = [not any(row) for row in self.visible]
        spoilt = [any(empty)] * len(empty)
        return [[False] * len(empty), empty, *([spoilt] * (self.layers - 1))]

    @property
    def data(self) -> Painted:
        """Everything that `plots.mask_painter` draws."""
        return Painted(
            words=self.words, scores=self.scores, visible=self.visible, shares=self.shares,
            levels=self.levels, nan=self.nan, chosen=self.chosen,
        )

    def __repr__(self) -> str:
        return say(self.data)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a still picture for places where it cannot run."""
        live = super()._repr_mimebundle_(**kwargs) or ({}, {})
        size = (11.2, 3.3)
        still, metadata = show(draw, self.data, say, size=size)._repr_mimebundle_()
        return {**live[0], **still}, metadata


def mask_painter(
    words: Sequence[str] = WORDS,
    mask: str = "causal",
    chosen: int = 2,
    layers: int = 1,
    scores: Sequence[Sequence[float]] | None = None,
) -> MaskPainter:
    """Let a reader paint a mask and watch shares and knowledge follow.

    Args:
        words: The text, two to eight words; ``[PAD]`` is padding.
        mask: Which of the six masks of ``experiments.who_knows.masks_for`` is there at first.
        chosen: Which token is looked at first, counted from 0.
        layers: How many layers, 1 to 4.
        scores: What each query (row) thinks of each key; left out, random ones.

    Example:
        >>> painter = mask_painter(["a", "b"], scores=[[1, 1], [1, 1]], chosen=1)
        >>> painter.shares
        [[1.0, 0.0], [0.5, 0.5]]
    """
    if not 2 <= len(words) <= MOST_WORDS:
        raise ValueError(f"words must be 2 to {MOST_WORDS}, got {len(words)}")
    require_whole(0, chosen=chosen, layers=layers)
    presets = {name: visible.tolist() for name, visible in masks_for(words).items()}
    if mask not in presets:
        raise ValueError(f"mask must be one of {', '.join(presets)}; got {mask!r}")
    rows = _random_scores(len(words)) if scores is None else [[*map(float, r)] for r in scores]
    require_number(**{f"scores[{i}][{j}]": x for i, r in enumerate(rows) for j, x in enumerate(r)})
    if len(rows) != len(words) or any(len(row) != len(words) for row in rows):
        raise ValueError(f"scores must be {len(words)} rows of {len(words)}, got {rows}")
    start = {"visible": presets[mask], "chosen": chosen, "layers": layers}
    return MaskPainter(words=list(words), scores=rows, presets=presets, start=start, **start)


def _random_scores(n: int) -> list[list[float]]:
    """Scores with one digit behind the point, the same ones every time."""
    generator = torch.Generator().manual_seed(22)
    return [[round(x, 1) + 0.0 for x in r] for r in torch.randn(n, n, generator=generator).tolist()]
