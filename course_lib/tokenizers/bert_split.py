"""BERT's first cut: clean a text, then split it at spaces, punctuation and Chinese characters.

WordPiece comes after it, and sees one of these words at a time.
"""

from collections.abc import Callable

from course_lib.tokenizers.bert_unicode import category, decompose, lower
from course_lib.tokenizers.well_formed import require_well_formed

# Blocks of Chinese characters, which have no spaces between words; Japanese syllables and Korean
# are not among them.  Hugging Face's tokenizers begins the sixth at 2B920 where Google's code
# has 2B820, and so does this.
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_ASCII_SYMBOLS = "$+<=>^`|~"  # no punctuation to Unicode, but to BERT
_MOST_REMEMBERED = 2**14  # characters; a text in one language has a few hundred


def basic_split(text: str, lower_case: bool = True) -> list[str]:
    """Clean a text and split it into words and punctuation marks.

    Args:
        text: any text.
        lower_case: also take off accents, as the uncased models do.

    Raises:
        TypeError: if the text is no str.
        ValueError: if it holds a lone surrogate.

    Agrees with: ``BertTokenizer`` of Hugging Face transformers 5.  Differs from Google's
    published code, and from transformers' older one in Python, where these two go by newer
    tables of Unicode, or drop code points that no character has, or lower a Greek capital
    sigma at a word's end to its final form.

    Source:
        Devlin et al. 2019 name WordPiece only; the rules are those of the code released with
        the paper (``BasicTokenizer``).
    """
    text = space_chinese(clean(require_well_formed(text)))
    if lower_case:
        text = lower(strip_accents(text))
    return space_punctuation(text).split()


def clean(text: str) -> str:
    """Drop control characters, and turn every kind of white space into a space."""
    return text.translate(_CLEANED)


def space_chinese(text: str) -> str:
    """Put spaces around each Chinese character."""
    return text.translate(_CHINESE_SPACED)


def strip_accents(text: str) -> str:
    """Take accents off their letters: all marks that take no room of their own."""
    return decompose(text).translate(_UNMARKED)


def space_punctuation(text: str) -> str:
    """Put spaces around each punctuation mark."""
    return text.translate(_PUNCTUATION_SPACED)


def _cleaned(char: str) -> str:
    """What cleaning makes of one character."""
    kind = category(char)
    if char in "\t\n\r" or kind in ("Zs", "Zl", "Zp"):
        return " "
    # Cf: invisible hints, such as the joiners inside emoji; Co: private use.
    return "" if char in "\0\ufffd" or kind in ("Cc", "Cf", "Co") else char


def _chinese_spaced(char: str) -> str:
    chinese = any(first <= ord(char) <= last for first, last in _CHINESE)
    return f" {char} " if chinese else char


def _unmarked(char: str) -> str:
    return "" if category(char) == "Mn" else char


def _punctuation_spaced(char: str) -> str:
    split = category(char).startswith("P") or char in _ASCII_SYMBOLS
    return f" {char} " if split else char


class _Table(dict):
    """For `str.translate`: asks a rule about each character once, and remembers the answer."""

    def __init__(self, rule: Callable[[str], str]):
        self.rule = rule

    def __missing__(self, code: int) -> str:
        answer = self.rule(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = answer
        return answer


_CLEANED = _Table(_cleaned)
_CHINESE_SPACED = _Table(_chinese_spaced)
_UNMARKED = _Table(_unmarked)
_PUNCTUATION_SPACED = _Table(_punctuation_spaced)
