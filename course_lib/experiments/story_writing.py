"""Stories that a model writes, judged by the grammar, and its loss for each kind of word."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.stories.entropy import token_kinds
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import possible
from course_lib.data.stories.words import TOKEN_KINDS
from course_lib.data.training_text import WORDS, TrainingText
from course_lib.data.whole_texts import WholeTexts
from course_lib.mechanisms.losses import IGNORE
from course_lib.models.gpt import GPT
from course_lib.training.objectives import device_of, looking


def write_stories(
    model: GPT, text: TrainingText, n: int, generator: torch.Generator, temperature: float = 1.0
) -> list[list[str]]:
    """Let a model write from a story's beginning to its end, or as far as it can read.

    Returns:
        the words of each story, without the boundary.
    """
    require_whole(1, n=n)
    start = torch.full((n, 1), _boundary(text), device=device_of(model))
    with looking(model):
        rows = model.generate(
            start, model.config.max_seq_len, temperature=temperature, generator=generator
        )
    return [text.decode(_first(row[1:], text.boundary_id)).split() for row in rows]


def share_possible(stories: Sequence[Sequence[str]]) -> float:
    """Return the share of stories that the grammar can tell, from the first word to the last."""
    if not stories:
        raise ValueError("stories must not be empty, got none")
    grammar = everyday_stories()
    return sum(possible(grammar, story) is None for story in stories) / len(stories)


def marked(story: Sequence[str]) -> str:
    """Write a story, with the first word that cannot stand there in >>...<<."""
    wrong = possible(everyday_stories(), story)
    if wrong is None:
        return " ".join(story)
    if wrong == len(story):
        return " ".join([*story, ">>breaks off<<"])
    return " ".join([*story[:wrong], f">>{story[wrong]}<<", *story[wrong + 1 :]])


def loss_by_kind(
    model: GPT, text: TrainingText, n_stories: int = 200
) -> dict[str, tuple[float, float]]:
    """Average a model's loss over each kind of word, and put the grammar's own floor beside it.

    Returns:
        for each kind that occurs, the model's loss and the floor, in nats a word.

    Raises:
        ValueError: if the text is not stories whose tokens are words.
    """
    if text.kind != WORDS:
        raise ValueError(f"text must have {WORDS!r} for ids, got {text.kind!r}")
    require_whole(1, n_stories=n_stories)
    inputs, targets = _held_out(text).spread(n_stories)
    losses = _losses(model, inputs, targets)
    found: dict[str, list[float]] = {kind: [] for kind in TOKEN_KINDS}
    for row, loss in zip(targets, losses, strict=True):
        words = text.decode(_first(row[row != IGNORE], text.boundary_id)).split()
        for kind, nats in zip(token_kinds(everyday_stories(), words), loss.tolist(), strict=False):
            found[kind].append(nats)
    return {
        kind: (sum(nats) / len(nats), EVERYDAY_FLOOR.of(kind))
        for kind, nats in found.items() if nats
    }  # fmt: skip


def left_by_kind(losses: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """How far above its floor each kind is in a whole story: the distance times how often it comes.

    Args:
        losses: loss and floor of each kind, in nats a word, as from :func:`loss_by_kind`.

    Returns:
        nats a story.
    """
    return {
        kind: (loss - floor) * EVERYDAY_FLOOR.words[kind]
        for kind, (loss, floor) in losses.items()
    }


def _losses(model: GPT, inputs: Tensor, targets: Tensor, batch_size: int = 50) -> Tensor:
    """The surprise at each token, 0 where nothing is scored."""
    parts = []
    with looking(model):
        for some, wanted in zip(inputs.split(batch_size), targets.split(batch_size), strict=True):
            scored = wanted != IGNORE
            log_probs = model(some.to(device_of(model))).log_softmax(dim=-1).cpu()
            chosen = log_probs.gather(-1, wanted.where(scored, 0).unsqueeze(-1)).squeeze(-1)
            parts.append(torch.where(scored, -chosen, 0.0))
    return torch.cat(parts)


def _first(ids: Tensor, boundary_id: int | None) -> list[int]:
    """The ids before the first boundary."""
    found = ids.tolist()
    return found[: found.index(boundary_id)] if boundary_id in found else found


def _boundary(text: TrainingText) -> int:
    """The boundary of a text that has one."""
    if text.boundary_id is None:
        raise ValueError(f"text must be stories, one a row, got {text.name!r}")
    return text.boundary_id


def _held_out(text: TrainingText) -> WholeTexts:
    """The held-out stories as rows."""
    _boundary(text)
    assert isinstance(text.validation, WholeTexts)
    return text.validation
