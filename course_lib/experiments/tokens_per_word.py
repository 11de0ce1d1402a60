"""What a text costs in tokens: by the size of the vocabulary, and by language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from course_lib.config import require_whole
from course_lib.tokenizers.bpe import BPETokenizer, load_gpt2

# The same four sentences: The cat is asleep on the chair, it is raining, tea, the station.
SENTENCES = {
    "English": "The cat is sleeping on the chair. It is raining today. "
    "In the evening we drink tea. Where is the station?",
    "German": "Die Katze schläft auf dem Stuhl. Heute regnet es. "
    "Am Abend trinken wir Tee. Wo ist der Bahnhof?",
    "Greek": "Η γάτα κοιμάται στην καρέκλα. Σήμερα βρέχει. "
    "Το βράδυ πίνουμε τσάι. Πού είναι ο σταθμός;",
    "Hindi": "बिल्ली कुर्सी पर सो रही है। आज बारिश हो रही है। शाम को हम चाय पीते हैं। स्टेशन कहाँ है?",
    "Chinese": "猫在椅子上睡觉。今天下雨。晚上我们喝茶。车站在哪里？",
}
# Other sentences with some of the same characters, to learn from.
MORE_CHINESE = (
    "今天天气很好。我们去车站。小猫在睡觉。昨天晚上下雨。他在椅子上看书。"
    "你在哪里？我们在这里喝茶。车站在那里。今天晚上我们吃饭。她在家里睡觉。"
    "明天不下雨。猫在椅子下。"
)


def first_merges(tokenizer: BPETokenizer, n_merges: int) -> BPETokenizer:
    """Return the tokenizer as it was after its first merges: a smaller vocabulary."""
    require_whole(0, n_merges=n_merges)
    if n_merges > len(tokenizer.merges):
        raise ValueError(
            f"n_merges must be <= {len(tokenizer.merges)}, as many as were learnt, got {n_merges}"
        )
    merges = tokenizer.merges[:n_merges]
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    return BPETokenizer(dict(enumerate(tokens)), merges, pattern=tokenizer.pattern)


def tokens_per_word(tokenizer: BPETokenizer, text: str) -> float:
    """Return how many tokens a text has for each of its words; words end at white space."""
    words = len(text.split())
    if not words:
        raise ValueError(f"text must hold a word, got {text[:20]!r}")
    return len(tokenizer.encode(text)) / words


@dataclass(frozen=True)
class Costs:
    """What texts cost with vocabularies of several sizes, one of them looked at.

    Attributes:
        sizes: of the vocabularies, 256 bytes included.
        per_word: tokens for each word of a text, one number for each size.
        sentences: how many tokens the same sentences have in each language, likewise.
        n_tokens: the size that is looked at.
    """

    sizes: list[int]
    per_word: dict[str, list[float]]
    sentences: dict[str, list[int]]
    n_tokens: int

    def at(self, n_tokens: int) -> "Costs":
        """The same numbers, looked at for a vocabulary of another size."""
        if n_tokens not in self.sizes:
            raise ValueError(f"n_tokens must be one of {self.sizes}, got {n_tokens}")
        return replace(self, n_tokens=n_tokens)


def costs(tokenizer: BPETokenizer, texts: Mapping[str, str], sizes: Sequence[int]) -> Costs:
    """Encode texts and the course's own sentences with longer and longer lists of merges."""
    smaller = [first_merges(tokenizer, n - 256) for n in sizes]
    return Costs(
        list(sizes),
        {name: [tokens_per_word(one, text) for one in smaller] for name, text in texts.items()},
        {name: [len(one.encode(s)) for one in smaller] for name, s in SENTENCES.items()},
        sizes[0],
    )


def published_counts() -> dict[str, int] | None:
    """Count the sentences' tokens in GPT-2's published vocabulary; None where it is absent."""
    try:
        published = load_gpt2()
    except ModuleNotFoundError:
        return None
    return {name: len(published.encode(text)) for name, text in SENTENCES.items()}
