"""``python -m course_lib bench tokenizers``: our BPE against Hugging Face's, written in Rust."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from course_lib.bench.rounds import Comparison, compare
from course_lib.data.corpora import python_text
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.bpe.counted import count_words, train_counted
from course_lib.tokenizers.bpe.naive import train_naive
from course_lib.tokenizers.bpe.ties import TIE_RULES
from course_lib.tokenizers.bpe.updated import train_updated
from course_lib.tokenizers.byte_alphabet import GPT2_BYTE_ORDER
from course_lib.tokenizers.pretokenize import GPT2_PATTERN, pieces

N_MERGES = 1000
N_CHARACTERS = 1_000_000
SMALL = (100_000, 30)  # characters and merges for the naive loop, which would take minutes
TRAINING_LIMIT, ENCODING_LIMIT = 3.0, 2.0  # times the seconds of theirs


@dataclass(frozen=True)
class Row:
    """The best time of either side.

    Units:
        seconds.
    """

    task: str
    ours: float
    theirs: float
    limit: float

    @property
    def ratio(self) -> float:
        """Our time in theirs; below 1 we are faster."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        verdict = "within" if self.ratio <= self.limit else "OVER"
        return (f"{self.task:<46}{self.ours:7.2f} s {self.theirs:7.2f} s   ours / theirs "
                f"{self.ratio:.2f}, {verdict} {self.limit:.0f}")  # fmt: skip


def run(n_rounds: int) -> int:
    """Measure and print; 0 when within the limits, 1 when not.

    Raises:
        ModuleNotFoundError: if Hugging Face tokenizers is not installed.
    """
    text = _text()
    print(f"one thread each, best of {n_rounds} interleaved rounds; {len(text):,} characters of "
          f"Python's own text, {N_MERGES} merges\n{'':<46}     ours    theirs")  # fmt: skip
    rows = []
    for task, result, limit in _compared(text, n_rounds):
        rows.append(Row(task, 1 / max(result.ours), 1 / max(result.theirs), limit))
        print(rows[-1], flush=True)
    print(_three_steps(text[: SMALL[0]], SMALL[1]))
    return 0 if all(row.ratio <= row.limit for row in rows) else 1


def comparisons(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Yield each task and its speeds; a turn is one training or one encoding of the text."""
    for task, result, _ in _compared(_text(), n_rounds):
        yield f"BPE, {task}", result


def _compared(text: str, n_rounds: int) -> Iterator[tuple[str, Comparison, float]]:
    """Time each task: its name, the speeds, and how many times their seconds ours may take."""
    os.environ["RAYON_NUM_THREADS"] = "1"  # one thread for either side
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    for task, ours, theirs, limit in _tasks(text):
        result = compare(ours, theirs, tokens=1, n_rounds=n_rounds, n_steps=1, n_warm_up=0)
        yield task, result, limit


def _text() -> str:
    """Python's own text, so many characters of it."""
    return python_text(round(1.2 * N_CHARACTERS)).train.decode("utf8")[:N_CHARACTERS]


def _tasks(text: str) -> list[tuple[str, Callable, Callable, float]]:
    """List what is timed: a name, ours, theirs and the limit; both must have done the same."""
    theirs, merges = train_theirs(text)

    def train(tie: str = TIE_RULES[0]) -> BPETokenizer:
        return BPETokenizer.train(text, 256 + N_MERGES, tie=tie, byte_order=GPT2_BYTE_ORDER)

    ours = train("lowest ids")
    if ours.merges != merges or ours.encode(text) != theirs.encode(text).ids:
        raise ValueError("both sides must do the same, got other merges or other ids")

    def encode() -> list[int]:
        fresh = BPETokenizer(ours.vocab, ours.merges)  # that remembers no word yet
        return fresh.encode(text)

    return [
        ("training, the same merges as theirs", lambda: train("lowest ids"),
         lambda: train_theirs(text), TRAINING_LIMIT),
        (f"training, tie rule {TIE_RULES[0]!r}", train,
         lambda: train_theirs(text), TRAINING_LIMIT),
        ("encoding, our memory of words empty at first", encode,
         lambda: theirs.encode_batch_fast([text]), ENCODING_LIMIT),
    ]  # fmt: skip


def train_theirs(text: str):
    """Train Hugging Face's byte-level BPE; return it and its merges as pairs of bytes."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    from course_lib.tokenizers.byte_alphabet import from_visible

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=256 + N_MERGES, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    made.train_from_iterator([text], trainer)
    found = json.loads(made.to_str())["model"]["merges"]
    return made, [(from_visible(left), from_visible(right)) for left, right in found]


def _three_steps(text: str, n_merges: int) -> str:
    """Time the three steps of our training once, on a text small enough for the first."""
    tokens = [bytes([byte]) for byte in range(256)]
    words = [list(piece.encode("utf8")) for piece in pieces(text, GPT2_PATTERN)]
    lines = [f"\nthe three steps of training, once, {n_merges} merges on {len(text):,} characters:"]
    for name, train in (
        ("naive loop", lambda: train_naive(words, tokens, n_merges, TIE_RULES[0])),
        ("words counted once",
         lambda: train_counted(count_words(words), tokens, n_merges, TIE_RULES[0])),
        ("touched pairs updated",
         lambda: train_updated(count_words(words), tokens, n_merges, TIE_RULES[0])),
    ):  # fmt: skip
        start = time.perf_counter()
        train()
        lines.append(f"{name:<46}{time.perf_counter() - start:7.2f} s")
    return "\n".join(lines)
