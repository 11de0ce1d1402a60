"""Texts that mean nothing any more: in some of them pairs are as frequent as before."""

import random
import re
import string

from course_lib.config import require_whole
from course_lib.tokenizers.bpe import BPETokenizer

# Words, runs of other signs, white space.  GPT-2's pattern knows 's and 'll by their letters,
# so it would cut a text in secret writing at other places.
BY_KIND = r" ?\p{L}+| ?[^\s\p{L}]+|\s+"


def secret_writing(seed: int) -> dict[int, int]:
    """Make a table for ``str.translate``: every Latin letter changes place with others."""
    lower = string.ascii_lowercase
    mixed = "".join(random.Random(seed).sample(lower, len(lower)))
    return str.maketrans(lower + lower.upper(), mixed + mixed.upper())


def shuffled_words(text: str, seed: int) -> str:
    """Mix the letters inside each word, all copies of a word in the same way."""
    known, dice = {}, random.Random(seed)

    def mixed(match: re.Match) -> str:
        word = match[0]
        if word not in known:
            known[word] = "".join(dice.sample(word, len(word)))
        return known[word]

    return re.sub(r"[^\W\d_]+", mixed, text)


def tokens_of(text: str, n_merges: int) -> list[str]:
    """Learn merges with the tie rule "first met", which looks at no letter; list the new tokens."""
    trained = BPETokenizer.train(text, 256 + n_merges, pattern=BY_KIND, tie="first met")
    return [(left + right).decode("utf8", "replace") for left, right in trained.merges]


def with_word(text: str, word: str, times: int) -> str:
    """Put a word into a text, at places spread evenly over its lines."""
    require_whole(0, times=times)
    lines = text.splitlines()
    if times == 0:
        return text
    per_line, more = divmod(times, len(lines))
    step = len(lines) / more if more else 0
    extra = {int(i * step) for i in range(more)}
    return "\n".join(
        line + f" {word}" * (per_line + (i in extra)) for i, line in enumerate(lines)
    )
