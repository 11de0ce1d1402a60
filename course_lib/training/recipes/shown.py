"""What a log keeps of a trained model besides its losses: text it wrote, words it guessed.

The first that come are taken, whatever they are: nobody has chosen among them.
"""

import math
from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.data.masking import Masking
from course_lib.data.paired_texts import FOLLOWS, PairedTexts
from course_lib.data.randomness import generator_for
from course_lib.models.bert import BertPretraining
from course_lib.models.shipped import Shipped
from course_lib.tokenizers.vocabulary import MASK
from course_lib.training.objectives import device_of, looking
from course_lib.training.pretraining import PretrainingBatch, hide

FIRST = (1, 5)  # top-1, top-5


def written(
    shipped: Shipped, prompt: str, n_texts: int = 3, n_new: int = 120, temperature: float = 0.8
) -> dict[str, Any]:
    """Let a GPT go on from a beginning."""
    ids = shipped.prompt(prompt).to(device_of(shipped.model)).expand(n_texts, -1)
    draws = generator_for(0, 0, "shown", device_of(shipped.model))
    rows = shipped.model.generate(ids, n_new, temperature=temperature, generator=draws)
    texts = [shipped.decode(row.tolist()) for row in rows]
    return {"prompt": prompt, "temperature": temperature, "texts": texts}


def bits_per_byte(nats_per_token: float, bytes_per_token: float) -> float:
    """Turn a loss into one that does not depend on how the text is cut into tokens."""
    return nats_per_token / math.log(2) / bytes_per_token


def guessed(
    shipped: Shipped, train: PairedTexts, validation: PairedTexts, masking: Masking,
    n_examples: int = 5,
) -> dict[str, Any]:  # fmt: skip
    """Count how often a BERT has the word behind ``[MASK]`` among its first guesses.

    Pairs of strangers are left out, as are selected tokens that are shown.

    Returns:
        ``top`` has the shares of hidden tokens that are among the 1 and the 5 likeliest,
        ``commonest`` what those score who always name the commonest tokens of the text, and
        ``examples`` the first gap of each of the first few pairs.
    """
    batch = _that_follow(hide(validation.spread(len(validation)), masking,
                              generator_for(0, 0, "shown")))  # fmt: skip
    row, place = (batch.token_ids == masking.mask_id).nonzero(as_tuple=True)
    truth, most = batch.token_targets[row, place], max(FIRST)
    best, probs = _first_guesses(shipped.model, batch, masking.mask_id, most)
    usual = _commonest(train, masking, most).expand(len(truth), -1)
    return {
        "n_hidden": len(truth),
        "top": _shares(best, truth),
        "commonest": _shares(usual, truth),
        "examples": [
            _example(shipped, batch, int(i), best[i], probs[i])
            for i in _first_of_each(row, n_examples)
        ],
    }


def _that_follow(batch: PretrainingBatch) -> PretrainingBatch:
    """Leave the pairs of strangers out."""
    return PretrainingBatch(*(part[batch.next_targets == FOLLOWS] for part in batch))


@torch.no_grad()
def _first_guesses(
    model: BertPretraining, batch: PretrainingBatch, mask_id: int, n: int
) -> tuple[Int64[Tensor, "hidden n"], Tensor]:
    """The likeliest tokens at each ``[MASK]``, and how likely they are, row by row."""
    found, device = [], device_of(model)
    with looking(model):
        for few in zip(*(part.split(50) for part in batch[:3]), strict=True):
            token_ids, real, segment_ids = (part.to(device) for part in few)
            x = model.bert(token_ids, real, segment_ids)[token_ids == mask_id]
            found.append(model.mlm_head(x).softmax(dim=-1).topk(n))
    probs, ids = (torch.cat(column).cpu() for column in zip(*found, strict=True))
    return ids, probs


def _commonest(train: PairedTexts, masking: Masking, n: int) -> Int64[Tensor, " n"]:
    """The tokens that the training text has most of, special ones left out."""
    counts = train.rows.token_ids[train.rows.real].bincount(minlength=masking.vocab_size)
    counts[list(masking.special_ids)] = 0
    return counts.topk(n).indices


def _shares(
    guesses: Int64[Tensor, "hidden n"], truth: Int64[Tensor, " hidden"]
) -> dict[str, float]:
    """How often the truth is among the first so many guesses."""
    hit = guesses == truth.unsqueeze(-1)
    return {str(n): round(hit[:, :n].any(dim=-1).double().mean().item(), 4) for n in FIRST}


def _first_of_each(row: Int64[Tensor, " hidden"], n: int) -> list[int]:
    """Of the hidden tokens, the first one of each of the first rows that have any."""
    firsts = torch.cat([torch.ones(1, dtype=torch.bool), row[1:] != row[:-1]])
    return firsts.nonzero().squeeze(-1)[:n].tolist()


def _example(
    shipped: Shipped, batch: PretrainingBatch, i: int, ids: Tensor, probs: Tensor
) -> dict[str, Any]:
    """One pair as the model saw it, what its first gap was, and the likeliest guesses."""
    mask_id = shipped.words.index(MASK)
    row, place = (part[i] for part in (batch.token_ids == mask_id).nonzero(as_tuple=True))
    text = shipped.decode(batch.token_ids[row][batch.real[row]])
    return {
        "text": text,
        "was": shipped.words[batch.token_targets[row, place]],
        "guesses": [[shipped.words[int(j)], round(p, 3)]
                    for j, p in zip(ids, probs.tolist(), strict=True)],
    }  # fmt: skip
