"""What BERT reads: ``[CLS] A [SEP]``, or ``[CLS] A [SEP] B [SEP]``, with segment ids."""

from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.tokenizers.vocabulary import CLS, SEP
from course_lib.tokenizers.wordpiece import WordPieceTokenizer


@dataclass(frozen=True)
class EncodedPair:
    """One input: its token ids, and for each the sentence that it belongs to (0 or 1)."""

    token_ids: tuple[int, ...]
    segment_ids: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.token_ids)


def encode_pair(
    tokenizer: WordPieceTokenizer,
    first: str,
    second: str | None = None,
    *,
    max_seq_len: int | None = None,
    allow_special: bool = True,
) -> EncodedPair:
    """Encode one text or two, with the special tokens around them.

    Args:
        tokenizer: its vocabulary must hold ``[CLS]`` and ``[SEP]``.
        first: the text of segment 0; ``[CLS]`` and the first ``[SEP]`` belong to it.
        second: the text of segment 1, with the last ``[SEP]``; left out, there is none.
        max_seq_len: tokens in all; what is longer loses tokens at its end, see
            ``truncate_longest_first``.
        allow_special: False reads ``[MASK]`` and its like as ordinary text.

    Raises:
        ValueError: if ``max_seq_len`` has no room for the special tokens.

    Agrees with: ``BertTokenizer`` of Hugging Face transformers 5.  Differs: the specials are
    never left without room; there, a limit of 2 for a pair is silently not kept.

    Source:
        Devlin et al. 2019, section 3 (figure 2).
    """
    a = tokenizer.encode(first, allow_special=allow_special)
    b = None if second is None else tokenizer.encode(second, allow_special=allow_special)
    if max_seq_len is not None:
        a, b = _truncate(a, b, max_seq_len)
    return join_pair(tokenizer, a, b)


def join_pair(
    tokenizer: WordPieceTokenizer, first: list[int], second: list[int] | None = None
) -> EncodedPair:
    """Put the special tokens around ids that are already there, and number the segments."""
    cls, sep = tokenizer.vocabulary.id_of(CLS), tokenizer.vocabulary.id_of(SEP)
    a, b = [cls, *first, sep], [] if second is None else [*second, sep]
    return EncodedPair(tuple(a + b), (0,) * len(a) + (1,) * len(b))


def truncate_longest_first(
    first: list[int], second: list[int], room: int
) -> tuple[list[int], list[int]]:
    """Shorten the longer of two texts, and both when they are equal, until they fit.

    Args:
        first: ids of the first text.
        second: ids of the second.
        room: tokens that both may have together.

    Agrees with: ``longest_first`` of Hugging Face transformers 5 (its tokenizers in Rust).
        Where both are shortened and ``room`` is odd, the one token more goes to the text that
        was longer, of equals to the second.  Google's code and transformers' older tokenizer
        give it to the first.
    """
    if room < 0:
        raise ValueError(f"room must be >= 0, got {room}")
    short, long = sorted((len(first), len(second)))
    if short + long > room:
        short = min(short, room // 2)
        long = room - short
    of_first, of_second = (long, short) if len(first) > len(second) else (short, long)
    return first[:of_first], second[:of_second]


def _truncate(
    first: list[int], second: list[int] | None, max_seq_len: int
) -> tuple[list[int], list[int] | None]:
    """Leave room for the special tokens and shorten what is too long."""
    require_whole(0, max_seq_len=max_seq_len)
    n_special = 2 if second is None else 3
    if max_seq_len < n_special:
        raise ValueError(
            f"max_seq_len must be >= {n_special}, the number of special tokens, got {max_seq_len}"
        )
    if second is None:
        return first[: max_seq_len - n_special], None
    return truncate_longest_first(first, second, max_seq_len - n_special)
