"""A case that says in words what matters in it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.checks.run import Case


@dataclass(frozen=True)
class Told(Case):
    """A case whose numbers would not tell the learner what is special about it."""

    words: str = ""

    def describe(self) -> str:
        """What matters, in words."""
        return self.words


def marks(*texts: str) -> Tensor:
    """Turn text into ``real``: x is a token, a dot is padding."""
    return torch.tensor([[mark == "x" for mark in text] for text in texts])


def padded(*texts: str) -> Told:
    """Make a case of ``real`` that shows its learner where the padding stands."""
    meaning = "x is a token, a dot is padding"
    return Told({"real": marks(*texts)}, words=f"`real` is {' / '.join(texts)} ({meaning})")
