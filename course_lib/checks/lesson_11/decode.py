"""Lesson 11, second exercise: from ids back to text."""

from course_lib.checks.listed import Listed, listed
from course_lib.checks.listed import listed_mistake as mistake
from course_lib.checks.run import Case


def _stub(ids, vocab):
    """The text of a list of ids; vocab gives the bytes of each id."""
    raise NotImplementedError


def _solution(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf8", errors="replace")


VOCAB = {0: b" ", 1: b"caf", 2: b"\xc3", 3: b"\xa9", 7: b"tea", 9: b"\xe7\x8c", 12: b"\xab",
         40: b"s", 66: b" "}  # fmt: skip


def _case(*ids: int, vocab: dict[int, bytes] = VOCAB) -> Case:
    return Case({"ids": list(ids), "vocab": {i: vocab[i] for i in sorted(set(ids))}})


def _one_by_one(ids, vocab):
    return "".join(vocab[i].decode("utf8", errors="replace") for i in ids)


def _strict_one_by_one(ids, vocab):
    return "".join(vocab[i].decode("utf8") for i in ids)


def _as_names(ids, vocab):
    return "".join(str(vocab[i])[2:-1] for i in ids)


decode = Listed(
    name="lesson_11.decode",
    task=(
        "Write `decode(ids, vocab)`: the text that a list of ids stands for. `vocab` is a dict "
        "that gives the bytes of each id. Bytes that are no UTF-8 become the replacement "
        "character, as in `.decode(\"utf8\", errors=\"replace\")`."
    ),
    stub=listed(_stub),
    reference=listed(_solution),
    explanation=(
        "A token is a piece of bytes, and may end in the middle of a character: é is two bytes "
        "here, and they come as two tokens. So first all the bytes are joined, and only then read "
        "as UTF-8. A model may also write bytes that are no character at all, or stop inside one; "
        "text has no place for them, and the replacement character stands in. Programs that show "
        "a model's text while it is written must wait for the rest of a character for the same "
        "reason."
    ),
    cases=(
        _case(7, 40),
        _case(0, 7, 66, 40, 7, 0),
        _case(1, 2, 3),
        _case(9, 12, 0, 9, 12),
        _case(7, 9),
        _case(3, 7),
    ),
    mistakes=(
        mistake(
            "token by token",
            _one_by_one,
            "You read each token as text by itself, and half a character is no character. Which "
            "comes first, joining or reading?",
        ),
        mistake(
            "token by token, strictly",
            _strict_one_by_one,
            "You read each token as text by itself. A token may hold a part of a character: join "
            "the bytes of all of them first.",
        ),
        mistake(
            "token by token, parts left out",
            lambda ids, vocab: "".join(vocab[i].decode("utf8", errors="ignore") for i in ids),
            "You read each token as text by itself and leave out what is no text. Two halves of a "
            "character are lost that way: join first.",
        ),
        mistake(
            "strict",
            lambda ids, vocab: b"".join(vocab[i] for i in ids).decode("utf8"),
            "The bytes are joined first, which is right. But a model may stop in the middle of a "
            "character: what should `errors` be?",
        ),
        mistake(
            "broken bytes left out",
            lambda ids, vocab: b"".join(vocab[i] for i in ids).decode("utf8", errors="ignore"),
            "You leave broken bytes out without a word. The task wants the replacement character "
            "in their place.",
        ),
        mistake(
            "a character for each byte",
            lambda ids, vocab: b"".join(vocab[i] for i in ids).decode("latin-1"),
            "You make one character of each byte. In UTF-8 a character has one to four bytes.",
        ),
        mistake(
            "spaces between tokens",
            lambda ids, vocab: b" ".join(vocab[i] for i in ids).decode("utf8", errors="replace"),
            "You put a space between the tokens. Spaces are inside the tokens already.",
        ),
        mistake(
            "spaces of each token taken off",
            lambda ids, vocab: b"".join(vocab[i].strip() for i in ids).decode("utf8", "replace"),
            "The spaces inside the tokens are lost. They are part of the text.",
        ),
        mistake(
            "spaces taken off",
            lambda ids, vocab: _solution(ids, vocab).strip(),
            "The text lost a space at an end.",
        ),
        mistake(
            "ids read as bytes",
            lambda ids, vocab: bytes(ids).decode("utf8", errors="replace"),
            "You read the ids as if they were bytes. What an id stands for is in `vocab`.",
        ),
        mistake(
            "how bytes are printed",
            _as_names,
            "You join the way Python prints bytes. Join the bytes themselves, as in "
            "`b\"\".join(...)`.",
        ),
        mistake(
            "the joined bytes as they are printed",
            lambda ids, vocab: str(b"".join(vocab[i] for i in ids)),
            "`str` gives the bytes as Python prints them, b and quotes and all. To read them as "
            "text, use `.decode`.",
        ),
    ),
    hints=(
        "The two tokens of é are one byte each. Can either be read as text?",
        "Two steps: look every id up and join the bytes; then read the whole as UTF-8, and say "
        "what is to happen to bytes that do not fit.",
        "```python\nraw = b\"\".join(...)\nreturn raw.decode(...)\n```",
    ),
    text=True,
)
