"""Batches: what one step reads, and what every look at the validation loss reads."""

import torch
from torch import Tensor

from course_lib.config import GPTConfig, TransformerConfig
from course_lib.data.labelled_texts import LabelledTexts
from course_lib.data.whole_texts import WholeTexts
from course_lib.data.windows import random_windows, require_text
from course_lib.training.objectives import spread_windows

TrainingText = Tensor | WholeTexts  # one long text, or short ones that are never cut


def draw_batch(
    text: TrainingText, seq_len: int, batch_size: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw windows of a long text, or whole short ones, with the token that follows each token."""
    if isinstance(text, WholeTexts):
        return text.draw(batch_size, generator)
    return random_windows(text, seq_len, batch_size, generator)


def fixed_batch(text: TrainingText, seq_len: int, n_rows: int) -> tuple[Tensor, Tensor]:
    """Pick rows evenly over a text, the same each time."""
    if isinstance(text, WholeTexts):
        return text.spread(n_rows)
    return spread_windows(text, seq_len, n_rows)


def require_fits(config: GPTConfig, **texts: object) -> None:
    """Raise an error that names the first text that a model of this shape cannot be trained on."""
    for name, text in texts.items():
        if isinstance(text, WholeTexts):
            ids, longest = text.inputs, text.inputs.shape[-1]
            if longest > config.max_seq_len:
                raise ValueError(
                    f"{name} must fit into max_seq_len={config.max_seq_len}, "
                    f"got a row of {longest} tokens"
                )
        else:
            require_text(text, config.max_seq_len, name)
            ids = text
        if int(ids.max()) >= config.vocab_size or int(ids.min()) < 0:
            raise ValueError(
                f"{name} must lie in [0, vocab_size={config.vocab_size}), "
                f"got {int(ids.min())} to {int(ids.max())}"
            )


def require_texts_fit(config: TransformerConfig, **texts: LabelledTexts) -> None:
    """Raise an error that names the first texts that a BERT of this shape cannot be trained on."""
    for name, each in texts.items():
        longest, largest = each.rows.token_ids.shape[-1], int(each.rows.token_ids.max())
        if longest > config.max_seq_len:
            raise ValueError(
                f"{name} must fit into max_seq_len={config.max_seq_len}, "
                f"got a text of {longest} tokens"
            )
        if largest >= config.vocab_size:
            raise ValueError(
                f"{name} must lie in [0, vocab_size={config.vocab_size}), got {largest}"
            )
