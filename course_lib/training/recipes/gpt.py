"""Recipes for GPTs, and how any text becomes what a GPT is trained on."""

from functools import partial

from torch import Tensor

from course_lib.config import GPTConfig, TrainConfig, modern_gpt, modern_training
from course_lib.data.corpora import corpus
from course_lib.data.training_text import (
    BPE,
    BYTES,
    KINDS,
    WORDS,
    TrainingText,
    corpus_ids,
    story_ids,
)
from course_lib.models.shipped import Shipped
from course_lib.training.recipes.recipe import Material, Recipe
from course_lib.training.tasks import NextToken

STORIES = "stories"


def gpt_material(
    text: str, ids: str | None = None, *, n_stories: int = 40_000, n_held_out: int = 1000,
    n_merges: int | None = None,
) -> Material:  # fmt: skip
    """Make a text ready for a GPT.

    Args:
        text: "stories", a name in ``data.corpora.TEXTS``, or the path of a file.
        ids: "words" (stories only, and usual there), "bytes" (usual elsewhere) or "bpe".
        n_merges: for "bpe"; left out, 256 for the stories and 768 for other texts.
    """
    merges = {} if n_merges is None else {"n_merges": n_merges}
    if text == STORIES:
        if ids not in (None, *KINDS):
            raise ValueError(f"ids must be one of {', '.join(KINDS)} for the stories, got {ids!r}")
        made = story_ids(ids or WORDS, n_stories, n_held_out, **merges)
        longest = max(part.inputs.shape[-1] for part in (made.train, made.validation))
        return _material(made, longest, licence="MIT")
    if ids not in (None, BYTES, BPE):
        raise ValueError(f"ids must be {BYTES} or {BPE} for the text {text!r}, got {ids!r}")
    real = corpus(text, also=(STORIES,))
    return _material(
        corpus_ids(real, ids or BYTES, **merges), None, real.licence, real.attribution
    )


def _material(
    made: TrainingText, longest: int | None, licence: str, attribution: str = ""
) -> Material:
    """Gather what a run asks of a text."""
    return Material(
        text=made.name,
        ids=made.kind,
        vocab_size=made.vocab_size,
        task=NextToken(made.train, made.validation),
        tokens_a_row=lambda seq_len: _tokens_a_row(made, seq_len),
        ship=lambda name, model: Shipped(name, model, made.tokenizer, made.boundary_id),
        longest=longest,
        floors={} if made.floor is None else {"loss": made.floor},
        licence=licence,
        attribution=attribution,
        bytes_per_token=made.bytes_per_token,
        made=made,
    )


def _tokens_a_row(made: TrainingText, seq_len: int) -> float:
    """How many tokens are predicted in a row: a window is full, a whole text as long as it is."""
    if isinstance(made.train, Tensor):
        return seq_len
    return made.train.n_scored / len(made.train)


def _stories_shape(vocab_size: int) -> GPTConfig:
    """A model that reads the longest story, 88 tokens with its boundary.

    A width this small wants wider weights at the start than GPT-2's 0.02: with 0.07, about
    0.7 / sqrt(d_model), it begins to look up who has what several times earlier.
    """
    return GPTConfig(vocab_size, 96, d_model=96, n_layers=4, n_heads=4, init_std=0.07)


STORIES_GPT = Recipe(
    "stories-gpt", gpt_material, STORIES, WORDS, _stories_shape,
    TrainConfig(2600, batch_size=12, lr=2.5e-3, min_lr=1e-4, warmup_steps=50, betas=(0.9, 0.99),
                eval_every=200, eval_batches=20, sample_every=0),
)  # fmt: skip


def _modern_shape(vocab_size: int) -> GPTConfig:
    """Three quarters of the usual width, with heads as wide as there: the stories need no more.

    Without QK-norm, with which a long run ended farther above the floor (one run of each).  That
    vectors of one length cannot attend as sharply as these stories ask for is a guess.
    """
    return modern_gpt(vocab_size, 96, d_model=96, n_heads=3, init_std=0.07, qk_norm=False)


MODERN_STORIES_GPT = Recipe(
    "modern-stories-gpt", partial(gpt_material, n_stories=24_000), STORIES, WORDS, _modern_shape,
    modern_training(800, lr=5e-3, eval_every=100, eval_batches=20, sample_every=0),
    budgets={"minute": 800, "coffee": 9000, "evening": 75_000},
)  # fmt: skip
GPT_RECIPES = (STORIES_GPT, MODERN_STORIES_GPT)
