"""Every head's attention on one text, ready for the attention explorer (lesson 64)."""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from course_lib.experiments.encoders import Encoder
from course_lib.experiments.inside import look_inside
from course_lib.models.shipped import Shipped

MOST_TOKENS = 32  # that fit on a screen one below the other


@dataclass(frozen=True)
class Explored:
    """One text inside a model.

    Attributes:
        tokens: the text as the model reads it.
        attention: for each head and query (row), each key's share of the attention.
        written: the same for each key's share of the lengths that the head adds up.
    """

    tokens: tuple[str, ...]
    attention: Float[Tensor, "layer head query key"]
    written: Float[Tensor, "layer head query key"]


def explorer_of(model: Encoder | Shipped) -> Callable[[str], Explored]:
    """Return the function that reads a text with this model, for ``widgets.attention_explorer``.

    It raises a ValueError for a text without words, or with more tokens than fit on a screen.
    """

    def read(text: str) -> Explored:
        if isinstance(model, Encoder):
            ids = model.read(text, MOST_TOKENS)
            tokens, inside = model.tokens(ids), look_inside(model.model, ids)
        else:
            ids = model.prompt(text)
            if ids.shape[1] > MOST_TOKENS:
                raise ValueError(f"text must have at most {MOST_TOKENS} tokens, got {ids.shape[1]}")
            tokens = tuple(model.words[i] for i in ids[0].tolist())
            inside = look_inside(model.model, ids)
        return Explored(tokens, inside.probs, inside.written)

    return read


def word_reads(
    encoder: Encoder, text: str, query: str, key: str
) -> Float[Tensor, "layer head"]:
    """Return what the last token ``query`` gives to the first token ``key``, in each head.

    Raises:
        ValueError: if the encoder's tokens of the text lack one of these words.
    """
    ids = encoder.read(text)
    tokens = list(encoder.tokens(ids))
    for word in (query, key):
        if word not in tokens:
            raise ValueError(f"text must hold the token {word!r}, got {' '.join(tokens)}")
    asks = len(tokens) - 1 - tokens[::-1].index(query)
    probs = look_inside(encoder.model, ids).probs  # [layer, head, query, key]
    return probs[:, :, asks, tokens.index(key)]


def strongest_head(shares: Float[Tensor, "layer head"]) -> str:
    """Name the head with the largest share, counted from 1 as in the explorer."""
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    return f"layer {layer + 1}, head {head + 1}: {shares.max():.0%}"
