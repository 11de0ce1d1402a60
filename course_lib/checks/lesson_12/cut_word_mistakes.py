"""What goes wrong with the longest match: marks, ends, order, and what is unknown."""

from course_lib.checks.listed import listed_mistake as mistake


def _walk(word, vocab, prefix=lambda start: "##" if start else "", ends=None, lost=None):
    """The right loop, with another mark, other ends, or another answer where nothing fits."""
    pieces, start = [], 0
    ends = ends or (lambda start, n: range(n, start, -1))
    while start < len(word):
        fitting = [end for end in ends(start, len(word))
                   if prefix(start) + word[start:end] in vocab]  # fmt: skip
        if not fitting:
            if lost is None:
                return [vocab["[UNK]"]]
            more, start = lost(pieces, start, vocab)
            pieces += more
            if start is None:
                return pieces
            continue
        pieces.append(vocab[prefix(start) + word[start : fitting[0]]])
        start = fitting[0]
    return pieces


def _shortest(word, vocab):
    return _walk(word, vocab, ends=lambda start, n: range(start + 1, n + 1))


def _no_mark(word, vocab):
    return _walk(word, vocab, prefix=lambda start: "")


def _always_marked(word, vocab):
    return _walk(word, vocab, prefix=lambda start: "##")


def _unknown_in_place(word, vocab):
    return _walk(word, vocab, lost=lambda found, start, v: ([v["[UNK]"]], start + 1))


def _rest_unknown(word, vocab):
    return _walk(word, vocab, lost=lambda found, start, v: ([v["[UNK]"]], None))


def _rest_dropped(word, vocab):
    return _walk(word, vocab, lost=lambda found, start, v: ([], None))


def _character_dropped(word, vocab):
    return _walk(word, vocab, lost=lambda found, start, v: ([], start + 1))


def _nothing(word, vocab):
    found = _walk(word, vocab)
    return [] if found == [vocab["[UNK]"]] else found


def _bare_unknown(word, vocab):
    found = _walk(word, vocab)
    return vocab["[UNK]"] if found == [vocab["[UNK]"]] else found


def _last_end_missed(word, vocab):
    return _walk(word, vocab, ends=lambda start, n: range(n, start + 1, -1))


def _whole_missed(word, vocab):
    return _walk(word, vocab, ends=lambda start, n: range(n - 1, start, -1))


def _all_cuts(word, vocab, start=0):
    """Every way to cut the rest of a word, the longest first piece first."""
    if start == len(word):
        return [[]]
    cuts = []
    for end in range(len(word), start, -1):
        piece = ("##" if start else "") + word[start:end]
        if piece in vocab:
            cuts += [[vocab[piece], *rest] for rest in _all_cuts(word, vocab, end)]
    return cuts


def _fewest(word, vocab):
    return min(_all_cuts(word, vocab), key=len, default=[vocab["[UNK]"]])


def _taken_back(word, vocab):
    return next(iter(_all_cuts(word, vocab)), [vocab["[UNK]"]])


def _longest_end(word, vocab, start, marks):
    """The end of the longest piece from a start, and that piece; None where nothing fits."""
    for end in range(len(word), start, -1):
        for mark in marks:
            if mark + word[start:end] in vocab:
                return end, mark + word[start:end]
    return None


def _stepping(step, marks=lambda start: ["##" if start else ""]):
    """The right search, but another way to go on, or other marks."""

    def cut(word, vocab):
        ids, start = [], 0
        while start < len(word):
            found = _longest_end(word, vocab, start, marks(start))
            if found is None:
                return [vocab["[UNK]"]]
            ids.append(vocab[found[1]])
            start = step(start, *found, word)
        return ids

    return cut


_one_behind = _stepping(lambda start, end, piece, word: end + 1)
_mark_counted = _stepping(lambda start, end, piece, word: start + len(piece))
_first_only = _stepping(lambda start, end, piece, word: len(word))
_mark_optional = _stepping(
    lambda start, end, piece, word: end, marks=lambda start: ["##", ""] if start else [""]
)


def _whole_or_nothing(word, vocab):
    return [vocab.get(word, vocab["[UNK]"])]


def _unknown_is_0(word, vocab):
    found = _walk(word, vocab)
    return [0] if found == [vocab["[UNK]"]] else found


def _nothing_foreseen(word, vocab):
    ids, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                break
        ids.append(vocab[piece])
        start = end
    return ids


def _sorted(word, vocab):
    return sorted(set(_walk(word, vocab)))


def _from_the_right(word, vocab):
    ids, end = [], len(word)
    while end > 0:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                break
        else:
            return [vocab["[UNK]"]]
        ids.insert(0, vocab[piece])
        end = start
    return ids


MISTAKES = (
    mistake(
        "shortest first",
        _shortest,
        "You take the shortest piece that fits. At which end must the search begin?",
    ),
    mistake(
        "no mark",
        _no_mark,
        "Pieces inside the word are looked up without `##`. `er` begins a word, `##er` goes on "
        "with one: they have different ids.",
    ),
    mistake(
        "always marked",
        _always_marked,
        "The first piece is looked up with `##`, too. What marks a piece that begins the word?",
    ),
    mistake(
        "one unknown in place",
        _unknown_in_place,
        "You write `[UNK]` for the character that fits nowhere and keep the rest. BERT gives up "
        "the whole word: what stands for it then?",
    ),
    mistake(
        "the rest unknown",
        _rest_unknown,
        "You keep the pieces that were found before the place where nothing fits. They are lost "
        "with the word.",
    ),
    mistake(
        "the rest dropped",
        _rest_dropped,
        "Where nothing fits, your loop ends and the rest of the word is lost without a trace. "
        "What says that the word is unknown?",
    ),
    mistake(
        "the character dropped",
        _character_dropped,
        "You step over a character that fits nowhere, as if it had not been there.",
    ),
    mistake(
        "nothing for unknown",
        _nothing,
        "For an unknown word you return an empty list. The id of `[UNK]` stands for it.",
    ),
    mistake(
        "unknown without a list",
        _bare_unknown,
        "For an unknown word you return the id itself. Return a list that holds it, as for any "
        "other word.",
    ),
    mistake(
        "pieces of one character missed",
        _last_end_missed,
        "Pieces of one character are never tried. How far down may the end go?",
    ),
    mistake(
        "the last character missed",
        _whole_missed,
        "Your end never reaches the end of the word, so its last character is never in a piece. "
        "A slice `word[start:end]` leaves `end` out.",
    ),
    mistake(
        "taken back",
        _taken_back,
        "Yours takes a piece back when the rest cannot be cut. That would know more words, but "
        "it is not what BERT does: the first choice stays.",
    ),
    mistake(
        "fewest pieces",
        _fewest,
        "You look for the fewest pieces. The rule only looks for the longest next one, and never "
        "takes a choice back.",
    ),
    mistake(
        "from the right",
        _from_the_right,
        "You cut from the right end. The longest piece is looked for from the left.",
    ),
    mistake(
        "one character skipped",
        _one_behind,
        "You go on one character too far. `word[start:end]` leaves `end` out, so the next piece "
        "starts at `end` itself.",
    ),
    mistake(
        "the mark counted",
        _mark_counted,
        "You go on by the length of the piece with its `##`. The mark takes no room in the word.",
    ),
    mistake(
        "the first piece only",
        _first_only,
        "You stop after the first piece. What becomes of the rest of the word?",
    ),
    mistake(
        "the mark optional",
        _mark_optional,
        "Inside the word you also take pieces without `##`. Such a piece can only begin a word.",
    ),
    mistake(
        "whole words only",
        _whole_or_nothing,
        "You look up the whole word only. When it is not there, look for the longest piece that "
        "begins it.",
    ),
    mistake(
        "the id of [UNK] typed in",
        _unknown_is_0,
        "You write 0 for `[UNK]`. Its id is another one in another vocabulary: look it up.",
    ),
    mistake(
        "no answer where nothing fits",
        _nothing_foreseen,
        "Where no piece fits, your search ends with a piece that is not in `vocab`, and you look "
        "it up all the same. What stands for the whole word then?",
    ),
    mistake(
        "each id once, in order of size",
        _sorted,
        "Your ids are sorted, or each stands there once. Keep them in the order of the pieces; "
        "a piece may come twice.",
    ),
)
