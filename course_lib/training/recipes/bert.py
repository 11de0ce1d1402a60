"""Recipes for BERTs, and how the stories become what a BERT is pre-trained on."""

from typing import Any

from course_lib.config import BertConfig, TrainConfig
from course_lib.data.corpus_pairs import CorpusPairs
from course_lib.data.masking import Masking
from course_lib.data.story_floors import EVERYDAY_MASKED, EVERYDAY_NEXT
from course_lib.data.story_pairs import StoryPairs, next_part_pairs, story_masking
from course_lib.models.shipped import Shipped
from course_lib.training.pretraining import Pretraining
from course_lib.training.recipes.gpt import STORIES
from course_lib.training.recipes.recipe import Material, Recipe

WORDPIECE = "wordpiece"
TRAIN_RATE = 0.3  # twice what is measured on: twice the answers for the same work


def story_pairs_material(
    text: str = STORIES, ids: str | None = None, *, n_pairs: int = 20_000, n_held_out: int = 1000,
    train_rate: float | None = TRAIN_RATE,
) -> Material:  # fmt: skip
    """Make the everyday stories ready for a BERT: pairs of parts, half of them strangers.

    The floors are those of the pairs that do follow (``mlm``) and of all pairs (``nsp``).

    Args:
        text: "stories".
        ids: "wordpiece".
        train_rate: the share of words that are selected in training; the held-out pairs have
            15 %, like BERT's.
    """
    if text != STORIES or ids not in (None, WORDPIECE):
        raise ValueError(
            f"text must be {STORIES!r} and ids {WORDPIECE!r} for this recipe, "
            f"got {text!r} and {ids!r}"
        )
    made = next_part_pairs(n_pairs, n_held_out)
    mlm, nsp = EVERYDAY_MASKED.floor.loss, EVERYDAY_NEXT.loss
    return pairs_material(
        made, story_masking(), train_rate, text="everyday stories", licence="MIT",
        longest=max(part.rows.token_ids.shape[-1] for part in (made.train, made.validation)),
        floors={"mlm": mlm, "nsp": nsp, "loss": mlm + nsp},
    )  # fmt: skip


def pairs_material(
    made: StoryPairs | CorpusPairs, masking: Masking, train_rate: float | None, **more: Any
) -> Material:
    """Gather what a run asks of pairs of texts; ``more`` is what else a material says."""
    return Material(
        ids=WORDPIECE,
        vocab_size=made.tokenizer.vocab_size,
        task=Pretraining(made.train, made.validation, masking, train_rate),
        tokens_a_row=lambda seq_len: made.train.n_tokens / len(made.train),
        ship=lambda name, model: Shipped(name, model, made.tokenizer),
        **more,
    )


def _stories_shape(vocab_size: int) -> BertConfig:
    """A model that reads the longest story, 91 tokens with ``[CLS]`` and two ``[SEP]``.

    Wide weights at the start for the same reason as in the recipe of the GPT.
    """
    return BertConfig(vocab_size, 96, d_model=96, n_layers=4, n_heads=4, init_std=0.07)


STORIES_BERT = Recipe(
    "stories-bert", story_pairs_material, STORIES, WORDPIECE, _stories_shape,
    TrainConfig(2200, batch_size=12, lr=2e-3, min_lr=1e-4, warmup_steps=100, betas=(0.9, 0.98),
                eval_every=200, eval_batches=15, sample_every=0),
    budgets={"minute": 2200, "coffee": 12_000, "evening": 144_000},
)  # fmt: skip
BERT_RECIPES = (STORIES_BERT,)
