"""Recipes for the GPT and the BERT that come with the course: trained on the World English Bible.

Of the real texts it is the one whose words are fewest and repeated most often, so that half an
hour of a processor's time goes furthest on it: after 80 seconds with one and the same GPT, 2.4
bits a character here, 2.7 on Wikipedia's summaries.  And it is in the public domain.
"""

from dataclasses import replace

from course_lib.config import BertConfig, GPTConfig, TrainConfig, modern_gpt
from course_lib.data.byte_ids import N_BYTES
from course_lib.data.corpora import corpus
from course_lib.data.corpus_pairs import corpus_pairs
from course_lib.data.training_text import BPE
from course_lib.training.recipes.bert import TRAIN_RATE, WORDPIECE, pairs_material
from course_lib.training.recipes.gpt import gpt_material
from course_lib.training.recipes.recipe import Material, Recipe
from course_lib.training.recipes.shown import guessed, written

WEB_BIBLE = "web-bible"
VOCABULARY = 2048  # tokens; a larger table would be half of a model this small
MAX_PAIR = 96  # tokens of two verses; one pair in seven loses its ends


def verses_material(text: str = WEB_BIBLE, ids: str | None = BPE) -> Material:
    """Make a real text ready for a GPT whose log keeps some lines that it writes."""
    made = gpt_material(text, ids, n_merges=VOCABULARY - N_BYTES)
    return replace(made, shown=lambda shipped: written(shipped, "\n"))


def corpus_pairs_material(
    text: str = WEB_BIBLE, ids: str | None = None, *, vocab_size: int = VOCABULARY,
    max_seq_len: int = MAX_PAIR, n_copies: int = 4,
    train_rate: float | None = TRAIN_RATE,
) -> Material:  # fmt: skip
    """Make a real text ready for a BERT: pairs of sentences, half of them strangers.

    Args:
        text: a name in ``data.corpora.TEXTS``, or the path of a file.
        ids: "wordpiece".
        train_rate: the share of tokens that are selected in training; the held-out pairs have
            15 %, like BERT's.
    """
    if ids not in (None, WORDPIECE):
        raise ValueError(f"ids must be {WORDPIECE!r} for this recipe, got {ids!r}")
    real = corpus(text)
    made = corpus_pairs(real, vocab_size, max_seq_len, n_copies)
    return pairs_material(
        made, made.masking, train_rate, text=real.name, longest=max_seq_len, licence=real.licence,
        attribution=real.attribution,
        shown=lambda shipped: guessed(shipped, made.train, made.validation, made.masking),
    )  # fmt: skip


def _gpt_shape(vocab_size: int) -> GPTConfig:
    """Four blocks of width 160 that read 256 tokens, about seven verses."""
    return modern_gpt(vocab_size, 256, d_model=160, n_heads=5)


def _bert_shape(vocab_size: int) -> BertConfig:
    """Four blocks of width 160, as Devlin et al. 2019 have them but for how order gets in.

    With a table of positions the loss lay for 500 updates where knowing how common each token
    is leads to, and with rotary ones and QK-norm for 100 (one run each, rates 6e-3 and 4e-3).
    """
    return BertConfig(
        vocab_size, MAX_PAIR, d_model=160, n_layers=4, n_heads=5, init_std=0.05,
        positions="rotary", qk_norm=True,
    )  # fmt: skip


BIBLE_GPT = Recipe(
    "bible-gpt", verses_material, WEB_BIBLE, BPE, _gpt_shape,
    TrainConfig(3000, batch_size=8, lr=6e-3, min_lr=0.0, warmup_steps=20, betas=(0.9, 0.99),
                eval_every=200, eval_batches=20, sample_every=0, optimizer="muon",
                decay="linear"),
)  # fmt: skip
BIBLE_BERT = Recipe(
    "bible-bert", corpus_pairs_material, WEB_BIBLE, WORDPIECE, _bert_shape,
    TrainConfig(2500, batch_size=32, lr=4e-3, min_lr=0.0, warmup_steps=50, betas=(0.9, 0.98),
                eval_every=200, eval_batches=20, sample_every=0, optimizer="muon",
                decay="linear"),
    budgets={"minute": 300, "coffee": 1300, "evening": 15_000},
)  # fmt: skip
BIBLE_RECIPES = (BIBLE_GPT, BIBLE_BERT)
