"""Lesson 12, second exercise: what is wrong with a split that somebody has published."""

from itertools import pairwise

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case

VOCAB = frozenset({"[UNK]", "un", "happy", "unhappy", "##ha", "##pp", "##iness", "##ness", "##y",
                   "##s", "##h", "##a", "##in", "##es", "has", "hast", "##ty", "##sh"})  # fmt: skip


def _stub(word, pieces, vocab):
    """0 if the pieces may be the word's, else the number of the first test that they fail."""
    raise NotImplementedError


def _solution(word, pieces, vocab):
    start = 0
    for i, piece in enumerate(pieces):
        body = piece.removeprefix("##") if i > 0 else piece
        if i > 0 and body == piece or not word.startswith(body, start):
            return 1
        start += len(body)
    if start < len(word):
        return 1
    if any(piece not in vocab for piece in pieces):
        return 2
    start = 0
    for i, piece in enumerate(pieces):
        mark = "##" if i > 0 else ""
        stop = start + len(piece) - len(mark)
        if any(mark + word[start:end] in vocab for end in range(stop + 1, len(word) + 1)):
            return 3
        start = stop
    return 0


def _told_apart(spelled=True, marked=(True, True), known=True, longer=True, order=(1, 2, 3),
                all_ends=True, first_only=False, mark_longer=True, reach=0):  # fmt: skip
    """The three tests, some of them left out or done otherwise."""

    def judge(word, pieces, vocab):
        joined = "".join(piece.removeprefix("##") for piece in pieces)
        wrong = {i > 0 for i, piece in enumerate(pieces) if piece.startswith("##") != (i > 0)}
        fails = {1: spelled and joined != word or any(marked[later] for later in wrong),
                 2: known and any(piece not in vocab for piece in pieces),
                 3: longer and _longer(word, pieces, vocab)}  # fmt: skip
        return next((number for number in order if fails[number]), 0)

    def _longer(word, pieces, vocab):
        start = 0
        for i, piece in enumerate(pieces):
            mark = "##" if i > 0 else ""
            stop = start + len(piece.removeprefix("##"))
            last = len(word) if all_ends else min(stop + 1, len(word))
            written = mark if mark_longer else ""
            if any(written + word[start:end] in vocab
                   for end in range(stop + 1, last + 1 - reach)):  # fmt: skip
                return True
            if first_only:
                return False
            start = stop
        return False

    return judge


def _third(longer):
    """The first two tests, and another one in place of the third."""

    def judge(word, pieces, vocab):
        first = _told_apart(longer=False)(word, pieces, vocab)
        return first or 3 * int(longer(word, pieces, vocab))

    return judge


def _fewest(word, vocab):
    least = [0, *[len(word) + 1] * len(word)]
    for end in range(1, len(word) + 1):
        cuts = [least[start] + 1 for start in range(end)
                if ("##" if start else "") + word[start:end] in vocab]  # fmt: skip
        least[end] = min(cuts, default=len(word) + 1)
    return least[-1]


_MISTAKES = (
    Mistake(
        "joined with the marks",
        lambda word, pieces, vocab: 1 if "".join(pieces) != word else
        _told_apart()(word, pieces, vocab),
        "You join the pieces with their marks on. `##` says that a piece goes on with a word; it "
        "is no part of the word.",
    ),
    Mistake(
        "spelling not looked at",
        _told_apart(spelled=False),
        "Your first test does not notice when the pieces spell another word. What do un, ##happy "
        "and ##ness spell, joined?",
    ),
    Mistake(
        "marks not looked at",
        _told_apart(marked=(False, False)),
        "Your first test does not look at the marks: the first piece has none, every later one "
        "begins with `##`.",
    ),
    Mistake(
        "the first mark not looked at",
        _told_apart(marked=(False, True)),
        "Your first test lets a first piece with `##` pass. Only later pieces have the mark.",
    ),
    Mistake(
        "later marks not looked at",
        _told_apart(marked=(True, False)),
        "Your first test lets a later piece without `##` pass. Each of them needs the mark.",
    ),
    Mistake(
        "vocabulary not looked at",
        _told_apart(known=False),
        "You do not notice a piece that is not in the vocabulary.",
    ),
    Mistake(
        "longest not looked at",
        _told_apart(longer=False),
        "You do not notice when a longer piece would have fitted.",
    ),
    Mistake(
        "only one character longer",
        _told_apart(all_ends=False),
        "You try pieces that are longer by one character only. The longest one may be much "
        "longer, with nothing in between in the vocabulary.",
    ),
    Mistake(
        "only the first piece",
        _told_apart(first_only=True),
        "You look for a longer piece at the start of the word only. Do it at the start of each "
        "piece.",
    ),
    Mistake(
        "longer pieces without marks",
        _told_apart(mark_longer=False),
        "You look the longer pieces up without `##`, inside the word, too.",
    ),
    Mistake(
        "the end of the word not reached",
        _told_apart(reach=1),
        "Your longer pieces stop one character before the end of the word. A slice leaves its end "
        "out, and so does a range.",
    ),
    Mistake(
        "vocabulary first",
        _told_apart(order=(2, 1, 3)),
        "You look into the vocabulary before you look at the spelling. The lower number comes "
        "first when both fail.",
    ),
    Mistake(
        "longest second",
        _told_apart(order=(1, 3, 2)),
        "You look for longer pieces before you have looked into the vocabulary. The lower number "
        "comes first when both fail.",
    ),
    Mistake(
        "the last one",
        _told_apart(order=(3, 2, 1)),
        "You give the number of the last test that fails. Return at the first.",
    ),
    Mistake(
        "fewer pieces",
        _third(lambda word, pieces, vocab: _fewest(word, vocab) < len(pieces)),
        "You look for a cut with fewer pieces. The rule does not count pieces: at the start of "
        "each, would a longer one have fitted?",
    ),
    Mistake(
        "longer anywhere",
        _third(lambda word, pieces, vocab: any(
            longer != piece and longer.startswith(piece) and longer.removeprefix("##") in word
            for piece in pieces for longer in vocab)),
        "You look for a longer piece anywhere in the word. It must fit where the shorter one "
        "stands.",
    ),
    Mistake(
        "neighbours joined",
        _third(lambda word, pieces, vocab: any(
            left + right.removeprefix("##") in vocab for left, right in pairwise(pieces))),
        "You only join two neighbours. A longer piece may end anywhere, in the middle of a later "
        "one as well.",
    ),
    Mistake(
        "yes or no",
        lambda word, pieces, vocab: int(_solution(word, pieces, vocab) > 0),
        "You say whether there is a fault. Say which: the number of the first test that fails.",
    ),
    Mistake(
        "right is 1",
        lambda word, pieces, vocab: int(_solution(word, pieces, vocab) == 0),
        "You return 1 for a possible split. 0 says that no test failed, and 1 to 3 which did.",
    ),
)


def _case(word: str, pieces: str) -> Case:
    return Case({"word": word, "pieces": tuple(pieces.split()), "vocab": VOCAB})


first_fault = Exercise(
    name="lesson_12.first_fault",
    task=(
        "Somebody shows you a word and its pieces. Write `first_fault(word, pieces, vocab)`: the "
        "number of the first test that they fail, or 0 if they can be right. Test 1: the first "
        "piece has no `##`, every later one has, and without these marks they spell the word. "
        "Test 2: all are in `vocab`. Test 3: nowhere a longer piece would have fitted."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The split un, ##happy, ##ness fails the first test for unhappiness: an i cannot come "
        "from a y, for nothing is ever respelled. Given unhappyness, it passes that and fails "
        "the second: ##happy is no piece of this vocabulary, nor of BERT's. And un ##ha ##pp ##y "
        "##ness has only real pieces but fails the third, because unhappy is one piece. With "
        "these three tests you can check any such claim by hand."
    ),
    cases=(
        _case("unhappiness", "un ##ha ##pp ##iness"),
        _case("unhappiness", "un ##happy ##ness"),
        _case("unhappyness", "un ##happy ##ness"),
        _case("unhappyness", "un ##ha ##pp ##y ##ness"),
        _case("unhappyness", "unhappy ##ness"),
        _case("happyness", "happy ness"),
        _case("happyness", "##happy ##ness"),
        _case("happyness", "happy ##in ##es"),
        _case("happyness", "happy ##ness ##s"),
        _case("happyness", "happy"),
        _case("unhappiness", "un ##ha ##pp ##in ##es ##s"),
        _case("unhappiness", "un ##h ##a ##pp ##iness"),
        _case("happys", "happy ##s"),
        _case("unhas", "un ##ha ##s"),
        _case("happyx", "happy ##x"),
        _case("hasty", "has ##ty"),
        _case("happysash", "happy ##s ##a ##sh"),
    ),
    mistakes=_MISTAKES,
    hints=(
        "For each test, what would you look at with a pencil: the joined pieces, the list of the "
        "vocabulary, or the rest of the word?",
        "Do the tests one after the other and return at the first that fails. For the third, go "
        "along the word: at the start of each piece, is any longer stretch of the word, with the "
        "mark that belongs there, in the vocabulary?",
        "```python\nif ...:                  # marks and spelling\n    return 1\n"
        "if ...:                  # the vocabulary\n    return 2\nstart = 0\n"
        "for i, piece in enumerate(pieces):\n    ...                  # any longer one? return 3\n"
        "return 0\n```",
    ),
    returns=("the number of the test",),
    number=True,
)
