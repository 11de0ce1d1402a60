"""A query to drag among keys in the plane: attention with nothing hidden, in two dimensions."""

import math
from collections.abc import Sequence
from pathlib import Path

import anywidget
import torch
import traitlets

from course_lib.config import require_number
from course_lib.mechanisms.softmax import softmax
from course_lib.plots.dot_product_by_hand import ByHand, draw, say
from course_lib.plots.show import show
from course_lib.widgets.still import WithSentence

_HERE = Path(__file__).parent
Point = Sequence[float]

WORDS = ("river", "shore", "money", "loan")
KEYS = ((1.9, 0.4), (1.1, 1.6), (-1.7, 0.9), (-1.2, -1.6))
VALUES = ((2.0, 0.9), (1.0, 1.9), (-1.5, 1.4), (-1.8, -0.9))


class DotProductByHand(WithSentence, anywidget.AnyWidget):
    """The widget; all moving happens in the browser, Python follows.

    Attributes:
        query: Where the query's tip is; set it to move the arrow.
        scaled: Whether the scores are divided by the square root of the width, 2.
    """

    _esm = (_HERE / "dot_product_by_hand.js").read_text(encoding="utf8")
    _css = (_HERE / "dot_product_by_hand.css").read_text(encoding="utf8")
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)
    value_vectors = traitlets.List().tag(sync=True)
    limit = traitlets.Float(3.0).tag(sync=True)
    query = traitlets.List(traitlets.Float()).tag(sync=True)
    scaled = traitlets.Bool(True).tag(sync=True)
    start = traitlets.List(traitlets.Float()).tag(sync=True)
    start_scaled = traitlets.Bool(True).tag(sync=True)

    @traitlets.validate("query")
    def _check_query(self, proposal: dict) -> list[float]:
        query, limit = list(proposal["value"]), self.limit
        if len(query) != 2 or not all(-limit <= x <= limit for x in query):
            raise ValueError(f"query must be two numbers from {-limit} to {limit}, got {query}")
        return query

    @property
    def scores(self) -> list[float]:
        """Dot product of the query with each key, scaled when `scaled`."""
        query, keys = torch.tensor([self.query, *self.key_vectors], dtype=torch.float64).split(
            [1, len(self.key_vectors)]
        )
        return ((keys @ query[0]) / (math.sqrt(2) if self.scaled else 1)).tolist()

    @property
    def weights(self) -> list[float]:
        """Softmax of the scores: one share for each key, together 1."""
        return softmax(torch.tensor(self.scores, dtype=torch.float64)).tolist()

    @property
    def output(self) -> list[float]:
        """The values, each times its weight, added up."""
        weights = torch.tensor(self.weights, dtype=torch.float64)
        return (weights @ torch.tensor(self.value_vectors, dtype=torch.float64)).tolist()

    @property
    def data(self) -> ByHand:
        """Everything that `plots.dot_product_by_hand` draws."""
        return ByHand(
            query=tuple(self.query), keys=[tuple(key) for key in self.key_vectors],
            values=[tuple(value) for value in self.value_vectors], words=self.words,
            scores=self.scores, weights=self.weights, output=tuple(self.output), limit=self.limit,
        )

    def __repr__(self) -> str:
        return say(self.data)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a still picture for places where it cannot run."""
        live = super()._repr_mimebundle_(**kwargs) or ({}, {})
        still, metadata = show(draw, self.data, say, size=(9, 2.6))._repr_mimebundle_()
        return {**live[0], **still}, metadata


def dot_product_by_hand(
    words: Sequence[str] = WORDS,
    keys: Sequence[Point] = KEYS,
    values: Sequence[Point] = VALUES,
    query: Point = (1.4, -0.5),
    scaled: bool = True,
    limit: float = 3.0,
) -> DotProductByHand:
    """Let a reader drag a query among keys and watch scores, weights and the weighted value.

    Args:
        words: Names of the keys, two to six.
        keys: Where each key points.
        values: What each key hands over.
        query: Where the query stands at first and after Reset.
        scaled: Divide the scores by the square root of the width; a check box changes it.
        limit: Both planes go from -limit to limit.

    Example:
        >>> by_hand = dot_product_by_hand(query=(0, 0))
        >>> by_hand.weights
        [0.25, 0.25, 0.25, 0.25]
    """
    if not 2 <= len(words) <= 6 or not len(words) == len(keys) == len(values):
        raise ValueError(
            "dot_product_by_hand needs 2 to 6 words and as many keys and values, got"
            f" {len(words)} words, {len(keys)} keys, {len(values)} values"
        )
    require_number(limit=limit)
    if limit <= 0:
        raise ValueError(f"limit must be > 0, got {limit}")
    for name, points in (("keys", keys), ("values", values)):
        # Each number by itself: max() would let a NaN pass.
        if not all(len(p) == 2 and all(abs(x) <= limit for x in p) for p in points):
            raise ValueError(f"{name} must be points within {limit} of 0, got {list(points)}")
    start = [float(x) for x in query]
    return DotProductByHand(
        words=list(words), key_vectors=[list(key) for key in keys], limit=limit,
        value_vectors=[list(value) for value in values], query=start, scaled=scaled,
        start=start, start_scaled=scaled,
    )
