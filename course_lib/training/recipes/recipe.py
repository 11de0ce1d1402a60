"""What a recipe is: a text made ready, the shape of a model, and how it is trained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from course_lib.config import TrainConfig, TransformerConfig
from course_lib.models.shipped import Shipped
from course_lib.training.tasks import Task

BUDGETS = ("minute", "coffee", "evening")  # as shipped, ten minutes, two hours; on two cores


@dataclass(frozen=True)
class Material:
    """A text made ready for training, with all that is needed to read the result.

    Attributes:
        text: its name.
        ids: what a token is: "words", "bytes", "bpe", "wordpiece".
        vocab_size: ids are below this.
        task: what a model is graded on.
        tokens_a_row: how many tokens a row of a batch holds on average, for rows that may be
            as long as the argument.
        ship: makes of a name and the trained model what ``models.shipped.write`` writes.
        longest: of texts that are never cut, the tokens of the longest one.
        floors: the least that a figure of ``task.measure`` can be in the long run, by its name.
        licence, attribution: of the text.
        bytes_per_token: of the held-out part, to read a loss in bits per byte; None for a text
            of which only some tokens are graded.
        shown: makes of the trained model what the log is to keep of it besides figures.
        made: the text with its decoder, for whoever measures more than the task does.
    """

    text: str
    ids: str
    vocab_size: int
    task: Task
    tokens_a_row: Callable[[int], float]
    ship: Callable[[str, nn.Module], Shipped]
    longest: int | None = None
    floors: Mapping[str, float] = field(default_factory=dict)
    licence: str = ""
    attribution: str = ""
    bytes_per_token: float | None = None
    shown: Callable[[Shipped], Mapping[str, object]] | None = None
    made: Any = None


@dataclass(frozen=True)
class Recipe:
    """A text, a shape and settings.

    Args:
        material: makes the text ready, some seconds' work.  It takes the text (a name or the
            path of a file) and what its ids are, None for what is usual with that text.
        text, ids: what the recipe hands to it.
        shape: of the model, by ``vocab_size``; its type says whether it is a GPT or a BERT.
        settings: how it is trained.
        budgets: numbers of updates, by one of the names ``BUDGETS``.
    """

    name: str
    material: Callable[[str, str | None], Material]
    text: str
    ids: str | None
    shape: Callable[[int], TransformerConfig]
    settings: TrainConfig
    budgets: Mapping[str, int] = field(default_factory=dict)

    def steps(self, asked: int | str | None) -> int:
        """Return the number of updates: the recipe's own, a budget's, or the one asked for."""
        if asked is None:
            return self.settings.total_steps
        if not isinstance(asked, str):
            return asked
        if asked not in self.budgets:
            raise ValueError(
                f"{self.name} must be given one of its budgets "
                f"({', '.join(self.budgets) or 'it has none'}), got {asked!r}"
            )
        return self.budgets[asked]
