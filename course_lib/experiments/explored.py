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
