"""What kind of character is it?  As in the tables that the published BERT tokenizer carries.

Unicode grows: every edition gives a meaning to code points that had none.  Hugging Face's
tokenizers, which transformers' ``BertTokenizer`` runs, looks characters up in tables as old as
Unicode 8 (2015); Python's own are newer, and each Python has others.  Agreeing with it on any
text, on any Python, takes this list of what has changed since.  Nothing here matters for a text
in a language that has been in Unicode for long.
"""

import re
import unicodedata

# Marks, punctuation and format characters that are newer, and what is newly decomposed: to the
# old tables all of them are ordinary characters of a word.
_NEWER = """
    5C8-5C9 61D 7FD 890-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B53-B55 C04 C3C C77 C84 D00 D3B-D3C
    D81 EBA ECE 1715 180F 1885-1886 1ABF-1AF0 1B4E-1B4F 1B7D-1B7F 1DF6-1DFB 2E43-2E4F
    2E52-2E63 A82C A8C5 A8FF A9BD 105C9 105E4 10D24-10D27 10D69-10D6E 10EAB-10EAD 10ECB-10ED0
    10EF0-10EFF 10F46-10F50 10F55-10F59 10F82-10F89 11070 11073-11074 110C2-110CD 111CF 1123E
    11241 1133B 11383 11385 1138E 11391 113BB-113C0 113C5-113C8 113CE-113D0 113D2 113D4-113E2
    11438-1143F 11442-11444 11446 1144B-1144F 1145A-1145E 11660-1166C 116B9 1182F-11837
    11839-1183B 11938-1193E 11943-11946 119D4-119DB 119E0 119E2 11A01-11A0A 11A33-11A38
    11A3B-11A47 11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A9C 11A9E-11AA2 11B00-11B09 11B60
    11B62-11B64 11B66 11BE1 11C30-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0
    11CB2-11CB3 11CB5-11CB6 11D31-11D45 11D47 11D90-11D91 11D95 11D97 11DF0 11EF3-11EF4
    11EF7-11F01 11F36-11F3A 11F40-11F4F 11F5A 11FFF 12FF1-12FF2 13430-13440 13447-13455
    1611E-16129 1612D-1612F 16D68-16D6A 16D6D-16D6F 16E97-16E9A 16F4F 16FE2 16FE4-16FF1
    1CF00-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E000-1E02A 1E08F
    1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E5FF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5
    1E944-1E94A 1E95E-1E95F
"""
# Characters that were already there, and have been put into another class since.
_RECLASSIFIED = {"\u166d": "Po", "\u1734": "Mn", "\U000111c9": "Po", "\U0001171e": "Mn"}

# Letters are put into lower case by tables as new as Unicode 17 (2025); Python 3.11 lacks these.
_LOWER = {
    0x1C89: 0x1C8A, 0xA7CB: 0x0264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3,
    0xA7D4: 0xA7D5, 0xA7DA: 0xA7DB, 0xA7DC: 0x019B,
    **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},
    **{code: code + 0x1B for code in range(0x16EA0, 0x16EB9)},
}  # fmt: skip


def _as_class(ranges: str) -> str:
    """Write hexadecimal ranges as the inside of a regular expression's character class."""
    ends = (span.split("-") for span in ranges.split())
    return "".join(f"{chr(int(e[0], 16))}-{chr(int(e[-1], 16))}" for e in ends)


_newer = re.compile(f"[{_as_class(_NEWER)}]")
_others = re.compile(f"[^{_as_class(_NEWER)}]+")


def category(char: str) -> str:
    """Return a character's two-letter general category: ``Lu``, ``Mn``, ``Po`` ..."""
    if _newer.match(char):
        return "Lo"
    return _RECLASSIFIED.get(char) or unicodedata.category(char)


def decompose(text: str) -> str:
    """Take letters and their accents apart: Unicode's form NFD."""
    return _others.sub(lambda found: unicodedata.normalize("NFD", found[0]), text)


def lower(text: str) -> str:
    """Write every letter small, each on its own: sigma has one small form here, not two."""
    return text.replace("Σ", "σ").lower().translate(_LOWER)
