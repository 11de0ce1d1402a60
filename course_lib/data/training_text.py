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
from course_lib.tokenizers.words import WordTokenizer

Tokenizer = WordTokenizer | BPETokenizer
Decode = Callable[[Sequence[int] | Tensor], str]
BYTES, BPE, WORDS = KINDS = ("bytes", "bpe", "words")
BOUNDARY = "<|story|>"
_HELD_OUT_SEED = 1_000_003  # far from the seeds that training stories take


@dataclass(frozen=True)
class TrainingText:
    """What a model learns from and what it is measured on.

    Attributes:
        train, validation: ids; one long text each, or short ones that are never cut.
        tokenizer: whose ids these are, the boundary among them.
        decode: turns ids back into text, with the boundary set apart.
        bytes_per_token: mean over the held-out part, ends of texts not counted.
        floor: the least loss that any model can reach in the long run, in nats a token; None
            where nobody knows it.
        boundary_id: the id that stands before and behind each short text.
    """

    name: str
    kind: str
    train: Tensor | WholeTexts
    validation: Tensor | WholeTexts
    tokenizer: Tokenizer
    decode: Decode
    bytes_per_token: float
    floor: float | None = None
    boundary_id: int | None = None

    @property
    def vocab_size(self) -> int:
        """Ids are below this."""
        return self.tokenizer.vocab_size


def corpus_ids(corpus: Corpus, kind: str = BYTES, n_merges: int = 768) -> TrainingText:
    """Turn a real text into ids; merges are learnt from its training part alone.

    Args:
        kind: ``bytes``, or ``bpe`` for byte-level BPE with so many merges.
    """
    if kind == BYTES:
        tokenizer, encode, decode = _byte_tokenizer(), byte_ids, _bytes_to_text
    elif kind == BPE:
        require_whole(1, n_merges=n_merges)
        tokenizer = BPETokenizer.train([corpus.train], N_BYTES + n_merges)
        encode, decode = _ids_by(tokenizer), _text_by(tokenizer)
    else:
        raise ValueError(f"kind must be {BYTES} or {BPE} for a real text, got {kind!r}")
    train, validation = encode(corpus.train), encode(corpus.validation)
    ratio = len(corpus.validation) / len(validation)
    return TrainingText(corpus.name, kind, train, validation, tokenizer, decode, ratio)


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
    tokenizer, encode, decode = _story_tokenizer(kind, told, n_merges)
    boundary = tokenizer.vocab_size - 1
    train, validation = (
        whole_texts([encode(story) for story in stories], boundary) for stories in (told, held_out)
    )
    tokens = validation.n_scored / n_held_out
    if kind == WORDS:
        tokens = EVERYDAY_FLOOR.words_per_story + 1
    n_bytes = sum(len(story.text.encode("utf8")) for story in held_out)
    return TrainingText(
        "everyday stories", kind, train, validation, tokenizer, decode,
        bytes_per_token=n_bytes / (validation.n_scored - n_held_out),
        floor=EVERYDAY_FLOOR.nats_per_story / tokens, boundary_id=boundary,
    )  # fmt: skip


def _story_tokenizer(
    kind: str, told: Sequence[Story], n_merges: int
) -> tuple[Tokenizer, Callable[[Story], list[int]], Decode]:
    """What stories are cut by, with the boundary as its last id, and both ways to go."""
    if kind == WORDS:
        words = WordTokenizer([*everyday_stories().vocabulary, BOUNDARY])
        return words, lambda story: words.encode(story.text), words.decode
    if kind == BPE:
        texts, size = [story.text for story in told], N_BYTES + n_merges + 1
        tokenizer = BPETokenizer.train(texts, size, special_tokens=[BOUNDARY])
        decode = _until(tokenizer.vocab_size - 1, _text_by(tokenizer))
        return tokenizer, lambda story: tokenizer.encode(story.text), decode
    if kind == BYTES:
        decode = _until(N_BYTES, _bytes_to_text)
        return _byte_tokenizer(BOUNDARY), lambda story: list(story.text.encode("utf8")), decode
    raise ValueError(f"kind must be one of {KINDS} for stories, got {kind!r}")


def _byte_tokenizer(*special_tokens: str) -> BPETokenizer:
    """No merges: each byte is its own id."""
    vocab = {byte: bytes([byte]) for byte in range(N_BYTES)}
    return BPETokenizer(vocab, [], special_tokens=special_tokens)


def _bytes_to_text(ids: Sequence[int] | Tensor) -> str:
    """Bytes as text."""
    return text_of(torch.as_tensor(ids))


def _ids_by(tokenizer: BPETokenizer) -> Callable[[bytes], Tensor]:
    """Encode a whole text into one axis of ids."""
    return lambda text: torch.tensor(tokenizer.encode(text, allow_special=False))


def _text_by(tokenizer: BPETokenizer) -> Decode:
    """Decode a list or a tensor."""
    return lambda ids: tokenizer.decode([int(i) for i in ids])


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
