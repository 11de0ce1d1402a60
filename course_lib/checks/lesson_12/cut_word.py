"""Lesson 12, first exercise: greedy longest match."""

from course_lib.checks.lesson_12.cut_word_mistakes import MISTAKES
from course_lib.checks.listed import Listed, listed
from course_lib.checks.run import Case


def _stub(word, vocab):
    """The ids of a word's pieces, longest first; vocab gives the id of each piece."""
    raise NotImplementedError


def _solution(word, vocab):
    ids, start = [], 0
    while start < len(word):
        prefix = "##" if start > 0 else ""
        end = len(word)
        while end > start and prefix + word[start:end] not in vocab:
            end -= 1
        if end == start:
            return [vocab["[UNK]"]]
        ids.append(vocab[prefix + word[start:end]])
        start = end
    return ids


WATER = {"[UNK]": 0, "water": 5, "wat": 6, "w": 7, "##er": 8, "##melon": 9, "##me": 10,
         "##lon": 11, "##s": 12, "er": 13, "melon": 14}  # fmt: skip
PINS = {"[UNK]": 1, "pin": 2, "##pin": 3, "pins": 4, "p": 5, "##in": 6, "##i": 7, "##nset": 8,
        "##s": 9, "##et": 10, "##t": 11, "##sk": 12}  # fmt: skip
HEAT = {"[UNK]": 0, "hot": 3, "h": 4, "##otter": 5, "##te": 6, "##r": 7}


def _case(word: str, vocab: dict[str, int]) -> Case:
    return Case({"word": word, "vocab": vocab})


cut_word = Listed(
    name="lesson_12.cut_word",
    task=(
        "Write `cut_word(word, vocab)`: the ids of the pieces of a word. `vocab` is a dict that "
        "gives the id of each piece. From the left, take the longest piece that fits, and go on "
        "behind it; a piece that does not begin the word is written with `##` in front. If at one "
        "place no piece fits, the answer is the id of `[UNK]` alone."
    ),
    stub=listed(_stub),
    reference=listed(_solution),
    explanation=(
        "Two loops: the outer one goes from piece to piece, the inner one shortens the end until "
        "the piece is in the vocabulary. Nothing is ever taken back: `pinset` becomes `pins ##et`, "
        "and where the rest cannot be cut the whole word is lost, although another first piece "
        "might have left a rest that can. That is what *greedy* means."
    ),
    cases=(
        _case("watermelons", WATER),
        _case("melonwater", WATER),
        _case("water", WATER),
        _case("pinset", PINS),
        _case("pinpin", PINS),
        _case("pinnset", PINS),
        _case("waterxs", WATER),
        _case("watermelox", WATER),
        _case("xwater", WATER),
        _case("pinsk", PINS),
        _case("pinpinpin", PINS),
        _case("watmeloner", WATER),
        _case("hotter", HEAT),
    ),
    mistakes=MISTAKES,
    hints=(
        "Of all the pieces that fit at a place, you want the longest. At which end do you begin "
        "to look?",
        "Keep a start. Let the end run down from the length of the word until the piece between "
        "them, with its mark, is in the vocabulary. What does it mean when the end arrives at the "
        "start?",
        "```python\nids, start = [], 0\nwhile start < len(word):\n    prefix = ...\n"
        "    end = len(word)\n    while end > start and ...:\n        end -= 1\n"
        "    if end == start:\n        return ...\n    ids.append(...)\n    start = ...\n"
        "return ids\n```",
    ),
)
