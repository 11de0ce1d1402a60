"""What a GPT and a BERT must read for the same jobs: passes that wait, and tokens (lesson 65)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from course_lib.config import BertConfig, GPTConfig, require_whole
from course_lib.experiments.gap_by_scoring import text_log_probs
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT

VOCAB_SIZE, LONGEST, MASK_ID = 100, 64, 99
SHAPE = {"vocab_size": VOCAB_SIZE, "max_seq_len": LONGEST, "d_model": 16, "n_layers": 2}
N_HEADS = 2
JUDGE, FILL, SCORE, WRITE = JOBS = (
    "judge a text", "fill a gap", "score every word", "write on",
)  # fmt: skip
FAMILIES = ("BERT", "GPT")


@dataclass(frozen=True)
class Work:
    """What a model was given to read for one job.

    Args:
        passes: that must wait for each other; texts side by side go in one pass.
        tokens: read in all of them together.
    """

    passes: int
    tokens: int


def work(job: str, family: str, n_words: int = 24, n_new: int = 8, seed: int = 0) -> Work:
    """Let a small random model do a job, and count what it is given to read.

    Args:
        job: one of JOBS.  To judge a text is to make one vector of it.  To score every word is
            to say how likely each is: for a GPT given those before it, for a BERT given all
            others.  The gap is filled with the likeliest word, given both sides.
        family: one of FAMILIES.
        n_words: words of the text, or of the prompt.
        n_new: words to be written.
    """
    if job not in JOBS or family not in FAMILIES:
        raise ValueError(f"job and family must be of {JOBS}, {FAMILIES}, got {job!r}, {family!r}")
    require_whole(2, n_words=n_words)
    require_whole(1, n_new=n_new)
    generator = torch.Generator().manual_seed(seed)
    text = torch.randint(MASK_ID, (1, n_words), generator=generator)
    model = _model(family, seed)
    with torch.no_grad(), _counting(model) as counts:
        _WAYS[job, family](model, text, n_new)
    return Work(len(counts), sum(counts))


def jobs(n_words: int = 24, n_new: int = 8) -> dict[str, dict[str, Work]]:
    """All jobs of both families."""
    return {job: {f: work(job, f, n_words, n_new) for f in FAMILIES} for job in JOBS}


def fill_by_scoring(model: GPT, text: Int64[Tensor, "1 seq"], place: int) -> Int64[Tensor, "1 seq"]:
    """Put the word into a gap with which a GPT finds the whole text most likely.

    Args:
        place: of the gap, from 1: nothing stands before the first word to guess it from.
    """
    texts = text.repeat(VOCAB_SIZE, 1)
    texts[:, place] = torch.arange(VOCAB_SIZE)
    return texts[text_log_probs(model, texts).argmax()][None]


def hide_each(text: Int64[Tensor, "1 seq"]) -> Int64[Tensor, "seq seq"]:
    """The text as often as it has words, each time with another word hidden."""
    texts = text.repeat(text.shape[1], 1)
    return texts.where(~torch.eye(len(texts), dtype=torch.bool), torch.tensor(MASK_ID))


def write_with_masks(
    model: BertPretraining, text: Int64[Tensor, "1 seq"], n_new: int
) -> Int64[Tensor, "1 longer"]:
    """Let a BERT write: a mask behind the text, fill it, and again."""
    for _ in range(n_new):
        text = torch.cat([text, torch.tensor([[MASK_ID]])], dim=1)
        text[0, -1] = model(text).tokens[0, -1].argmax()
    return text


def _fill(model: BertPretraining, text: Tensor, n_new: int) -> None:
    hidden = text.clone()
    hidden[0, 1] = MASK_ID
    model(hidden)


_WAYS: dict[tuple[str, str], Callable] = {
    (JUDGE, "BERT"): lambda model, text, _: model(text),
    (JUDGE, "GPT"): lambda model, text, _: model(text),
    (FILL, "BERT"): _fill,
    (FILL, "GPT"): lambda model, text, _: fill_by_scoring(model, text, 1),
    (SCORE, "BERT"): lambda model, text, _: model(hide_each(text)),
    (SCORE, "GPT"): lambda model, text, _: text_log_probs(model, text),
    (WRITE, "BERT"): write_with_masks,
    (WRITE, "GPT"): lambda model, text, n_new: model.generate(text, n_new, temperature=0),
}


def _model(family: str, seed: int) -> GPT | BertPretraining:
    """A small model with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if family == "GPT":
            return GPT(GPTConfig(**SHAPE, n_heads=N_HEADS)).eval()
        return BertPretraining(BertConfig(**SHAPE, n_heads=N_HEADS)).eval()


@contextmanager
def _counting(model: nn.Module) -> Iterator[list[int]]:
    """Collect how many tokens each pass is given."""
    counts: list[int] = []
    hook = model.register_forward_pre_hook(lambda _, args: counts.append(args[0].numel()))
    try:
        yield counts
    finally:
        hook.remove()
