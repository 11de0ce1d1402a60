"""A text as ids, in two parts, with all that is needed to read a loss on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.byte_ids import N_BYTES, byte_ids, text_of
from course_lib.data.corpora import Corpus
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.sampling import Story, tell
from course_lib.data.whole_texts import WholeTexts, whole_texts
from course_lib.tokenizers.bpe import BPETokenizer

Decode = Callable[[Sequence[int] | Tensor], str]
BYTES, BPE, WORDS = KINDS = ("bytes", "bpe", "words")
BOUNDARY = "<|story|>"
_HELD_OUT_SEED = 1_000_003  # far from the seeds that training stories take


@dataclass(frozen=True)
class TrainingText:
    """What a model learns from and what it is measured on.

    Attributes:
        train, validation: ids; one long text each, or short ones that are never cut.
        vocab_size: ids are below this.
        decode: turns ids back into text.
        bytes_per_token: mean over the held-out part, ends of texts not counted.
        floor: the least loss that any model can reach in the long run, in nats a token; None
            where nobody knows it.
        boundary_id: the id that stands before and behind each short text.
    """

    name: str
    kind: str
    train: Tensor | WholeTexts
    validation: Tensor | WholeTexts
    vocab_size: int
    decode: Decode
    bytes_per_token: float
    floor: float | None = None
    boundary_id: int | None = None


def corpus_ids(corpus: Corpus, kind: str = BYTES, n_merges: int = 768) -> TrainingText:
    """Turn a real text into ids; merges are learnt from its training part alone.

    Args:
        kind: ``bytes``, or ``bpe`` for byte-level BPE with so many merges.
    """
    if kind == BYTES:
        encode, decode, vocab_size = byte_ids, _bytes_to_text, N_BYTES
    elif kind == BPE:
        require_whole(1, n_merges=n_merges)
        tokenizer = BPETokenizer.train([corpus.train], N_BYTES + n_merges)
        encode, decode = _ids_by(tokenizer), _text_by(tokenizer)
        vocab_size = tokenizer.vocab_size
    else:
        raise ValueError(f"kind must be {BYTES} or {BPE} for a real text, got {kind!r}")
    train, validation = encode(corpus.train), encode(corpus.validation)
    ratio = len(corpus.validation) / len(validation)
    return TrainingText(corpus.name, kind, train, validation, vocab_size, decode, ratio)


def story_ids(
    kind: str = WORDS, n_stories: int = 20_000, n_held_out: int = 1000, n_merges: int = 256,
    seed: int = 0,
) -> TrainingText:  # fmt: skip
    """Tell stories and turn them into ids, one story a row.

    The floor for whole words is exact.  For bytes and merges it is the entropy of a story,
    divided by the mean number of tokens in the held-out stories.

    Args:
        kind: ``words`` makes each word of the grammar a token, ``bpe`` learns merges from the
            training stories, ``bytes`` takes their bytes.
    """
    require_whole(1, n_stories=n_stories, n_held_out=n_held_out, n_merges=n_merges)
    require_whole(0, seed=seed)
    told, held_out = tell(n_stories, seed), tell(n_held_out, _HELD_OUT_SEED + seed)
    encode, decode, boundary = _story_encoder(kind, told, n_merges)
    train, validation = (
        whole_texts([encode(story) for story in stories], boundary) for stories in (told, held_out)
    )
    tokens = validation.n_scored / n_held_out
    if kind == WORDS:
        tokens = EVERYDAY_FLOOR.words_per_story + 1
    n_bytes = sum(len(story.text.encode("utf8")) for story in held_out)
    return TrainingText(
        "everyday stories", kind, train, validation, boundary + 1, decode,
        bytes_per_token=n_bytes / (validation.n_scored - n_held_out),
        floor=EVERYDAY_FLOOR.nats_per_story / tokens, boundary_id=boundary,
    )  # fmt: skip


def _story_encoder(
    kind: str, told: Sequence[Story], n_merges: int
) -> tuple[Callable[[Story], list[int]], Decode, int]:
    """How a story becomes ids, how ids become text, and the id that stands for nothing else."""
    if kind == WORDS:
        words = everyday_stories().vocabulary
        number = {word: i for i, word in enumerate(words)}
        decode_words = _reader({**dict(enumerate(words)), len(words): BOUNDARY})
        return lambda story: [number[word] for word in story.words], decode_words, len(words)
    if kind == BPE:
        texts = [story.text for story in told]
        tokenizer = BPETokenizer.train(texts, N_BYTES + n_merges)
        boundary = tokenizer.vocab_size
        decode = _until(boundary, _text_by(tokenizer))
        return lambda story: tokenizer.encode(story.text), decode, boundary
    if kind == BYTES:
        decode = _until(N_BYTES, _bytes_to_text)
        return lambda story: list(story.text.encode("utf8")), decode, N_BYTES
    raise ValueError(f"kind must be one of {KINDS} for stories, got {kind!r}")


def _bytes_to_text(ids: Sequence[int] | Tensor) -> str:
    """Bytes as text."""
    return text_of(torch.as_tensor(ids))


def _ids_by(tokenizer: BPETokenizer) -> Callable[[bytes], Tensor]:
    """Encode a whole text into one axis of ids."""
    return lambda text: torch.tensor(tokenizer.encode(text, allow_special=False))


def _text_by(tokenizer: BPETokenizer) -> Decode:
    """Decode a list or a tensor."""
    return lambda ids: tokenizer.decode([int(i) for i in ids])


def _reader(words: dict[int, str]) -> Decode:
    """Read ids as words with a space between two."""

    def read(ids: Sequence[int] | Tensor) -> str:
        numbers = [int(i) for i in ids]
        if unknown := [i for i in numbers if i not in words]:
            raise ValueError(f"ids must lie in [0, {len(words)}), got {unknown[0]}")
        return " ".join(words[i] for i in numbers)

    return read


def _until(boundary: int, decode: Decode) -> Decode:
    """Decode, with the boundary, which no vocabulary knows, written as `BOUNDARY`."""

    def read(ids: Sequence[int] | Tensor) -> str:
        parts: list[list[int]] = [[]]
        for i in map(int, ids):
            if i == boundary:
                parts.append([])
            else:
                parts[-1].append(i)
        return f" {BOUNDARY} ".join(decode(part) if part else "" for part in parts).strip()

    return read
