"""Attention on a sentence of one's own: layer, head and token to walk through."""

from collections.abc import Callable
from pathlib import Path

import anywidget
import numpy as np
import traitlets

from course_lib.config import require_whole
from course_lib.experiments.explored import Explored
from course_lib.plots.attention_explorer import Head, draw, say
from course_lib.plots.show import show
from course_lib.widgets.still import WithSentence

_HERE = Path(__file__).parent
MEAN = -1  # in place of a head: the mean of all heads of the layer


class AttentionExplorer(WithSentence, anywidget.AnyWidget):
    """The widget.  All shares are sent once, as bytes; the browser does the rest by itself.

    Attributes:
        text: What is read; the reader may write another one, which Python then reads.
        tokens: The text as the model reads it.
        layer: Counted from 0.
        head: Counted from 0; -1 is the mean of the layer's heads.
        query: Which token's reading is told in words.
        written: Show shares of attention times length in place of attention.
        problem: Why the last text could not be read; empty when it could.
        answered: How many texts Python has been asked to read.
    """

    _esm = (_HERE / "attention_explorer.js").read_text(encoding="utf8")
    _css = (_HERE / "attention_explorer.css").read_text(encoding="utf8")
    text = traitlets.Unicode().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    shares = traitlets.Bytes().tag(sync=True)  # attention, then attention times length; 255 is 1
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(MEAN).tag(sync=True)
    query = traitlets.Int(0).tag(sync=True)
    written = traitlets.Bool(False).tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    start = traitlets.Dict().tag(sync=True)

    def __init__(self, read: Callable[[str], Explored], **start: object):
        self._read = read
        place = {name: start[name] for name in ("layer", "head", "query", "written")}
        super().__init__(**_sent(read(start["text"])), text=start["text"])
        for name, value in place.items():
            setattr(self, name, value)
        self.start = start
        self.observe(self._take_text, "text")

    def _take_text(self, change: dict) -> None:
        """Read another text; when that cannot be done, say why and keep the old one on show."""
        with self.hold_sync():
            self.answered += 1
            try:
                sent = _sent(self._read(change["new"]))
            except ValueError as error:
                self.problem = str(error)
                return
            self.problem = ""
            self.query = min(self.query, len(sent["tokens"]) - 1)
            for name, value in sent.items():
                setattr(self, name, value)

    @traitlets.validate("layer")
    def _check_layer(self, proposal: dict) -> int:
        return _within("layer", proposal["value"], 0, self.shape[0])

    @traitlets.validate("head")
    def _check_head(self, proposal: dict) -> int:
        return _within("head", proposal["value"], MEAN, self.shape[1])

    @traitlets.validate("query")
    def _check_query(self, proposal: dict) -> int:
        return _within("query", proposal["value"], 0, len(self.tokens) or 1)

    @property
    def data(self) -> Head:
        """What is on show, and all that `plots.attention_explorer` draws."""
        n_layers, n_heads, n = self.shape
        every = np.frombuffer(self.shares, "u1").reshape(2, n_layers, n_heads, n, n)
        layer = every[int(self.written), self.layer].astype("f8")
        mean = self.head == MEAN
        shares = layer.sum(axis=0) / 255 / n_heads if mean else layer[self.head] / 255
        head = None if mean else self.head + 1
        return Head(self.tokens, shares, self.query, self.layer + 1, head, self.written)

    def __repr__(self) -> str:
        return say(self.data)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a still picture for places where it cannot run."""
        live = super()._repr_mimebundle_(**kwargs) or ({}, {})
        size = (9.4, 1.2 + 0.21 * len(self.tokens))
        still, metadata = show(draw, self.data, say, size=size)._repr_mimebundle_()
        return {**live[0], **still}, metadata


def attention_explorer(
    read: Callable[[str], Explored],
    text: str,
    *,
    layer: int = 0,
    head: int = MEAN,
    query: int = 1,
    written: bool = False,
) -> AttentionExplorer:
    """Let a reader see whom each token of a text reads, in every layer and head.

    Args:
        read: what a model makes of a text, such as ``experiments.explored.explorer_of(model)``;
            its ValueErrors are shown to the reader.
        text: what is there at first.
        layer: which layer is on show at first, counted from 0.
        head: which head, counted from 0; -1 for the mean of all.
        query: which token's reading is told in words.
        written: True shows shares of attention times length.
    """
    require_whole(0, layer=layer, query=query)
    require_whole(MEAN, head=head)
    if not isinstance(text, str):
        raise TypeError(f"text must be str, got {type(text).__name__}")
    return AttentionExplorer(read, text=text, layer=layer, head=head, query=query, written=written)


def _sent(explored: Explored) -> dict[str, object]:
    """What the browser gets of a text."""
    both = np.stack([explored.attention.numpy(), explored.written.numpy()])
    n_layers, n_heads, n = both.shape[1:4]
    return {
        "tokens": list(explored.tokens),
        "shape": [n_layers, n_heads, n],
        "shares": np.rint(255 * both).astype("u1").tobytes(),
    }


def _within(name: str, value: int, lowest: int, end: int) -> int:
    if not lowest <= value < end:
        raise ValueError(f"{name} must lie between {lowest} and {end - 1}, got {value}")
    return value
