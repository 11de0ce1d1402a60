"""A vocabulary: tokens in the order of their ids, kept as the published one-token-a-line file."""

from collections.abc import Iterable
from pathlib import Path

from course_lib.whole_file import replace_file

PAD, UNKNOWN, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL_TOKENS = (PAD, UNKNOWN, CLS, SEP, MASK)


class Vocabulary:
    """Tokens, each with its id; a token's id is its place in the row.

    Attributes:
        tokens: all of them, in the order of their ids.
        special_tokens: those of BERT's five special tokens that it has.
    """

    def __init__(self, tokens: Iterable[str], required: Iterable[str] = SPECIAL_TOKENS):
        """Number the tokens from 0 on.

        Args:
            tokens: as a word's later pieces are written, with ``##`` before them.
            required: tokens that must be among them; fewer than BERT's five make a vocabulary
                that cannot do everything.

        Raises:
            TypeError: if a token is no str.
            ValueError: if a token stands twice, is missing, or does not fit on a line; the
                message names it.
        """
        self.tokens = tuple(tokens)
        self._id_of: dict[str, int] = {}
        for i, token in enumerate(self.tokens):
            _require_line(i, token)
            if self._id_of.setdefault(token, i) != i:
                raise ValueError(
                    f"tokens must differ, but ids {self._id_of[token]} and {i} are both {token!r}"
                )
        if missing := [token for token in required if token not in self._id_of]:
            raise ValueError(
                f"tokens must hold {', '.join(missing)}: not among these {len(self.tokens)}"
            )
        self.special_tokens = tuple(token for token in SPECIAL_TOKENS if token in self._id_of)

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._id_of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(self.tokens)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens)"

    def id_of(self, token: str) -> int:
        """Return a token's id.

        Raises:
            ValueError: if it is not in the vocabulary.
        """
        try:
            return self._id_of[token]
        except KeyError:
            raise ValueError(
                f"token must be in the vocabulary of {len(self)} tokens, got {token!r}"
            ) from None

    def token_of(self, token_id: int) -> str:
        """Return the token with this id.

        Raises:
            ValueError: if there is none.
        """
        if isinstance(token_id, bool) or not hasattr(token_id, "__index__"):
            raise TypeError(f"token_id must be a whole number, got {token_id!r}")
        if not 0 <= token_id < len(self):
            raise ValueError(f"token_id must lie in [0, {len(self)}), got {token_id}")
        return self.tokens[token_id]

    def save(self, path: str | Path) -> None:
        """Write one token a line, the published form; an old file is replaced in one stroke."""
        # `load` takes off one mark of the byte order: a first token that begins with it needs two.
        mark = "\ufeff" if self.tokens and self.tokens[0].startswith("\ufeff") else ""
        text = mark + "".join(f"{token}\n" for token in self.tokens)
        replace_file(path, text.encode("utf8"))

    @classmethod
    def load(cls, path: str | Path, required: Iterable[str] = SPECIAL_TOKENS) -> "Vocabulary":
        """Read a file with one token a line, such as the published ``vocab.txt``.

        Raises:
            ValueError: if it is empty or no text in UTF-8, has an empty line, or its tokens
                make no vocabulary.
        """
        name = Path(path).name
        try:
            # Not splitlines(): it also cuts at characters that a token may hold.
            lines = Path(path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} must be text in UTF-8: {error}") from None
        if lines[-1] == "":
            lines.pop()
        if not lines:
            raise ValueError(f"{name} must hold one token a line, it is empty")
        if "" in lines:
            raise ValueError(
                f"{name} must hold one token a line, line {lines.index('') + 1} is empty"
            )
        try:
            return cls(lines, required)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None


def _require_line(i: int, token: object) -> None:
    """Raise unless a token can be written on a line of a file."""
    if not isinstance(token, str):
        raise TypeError(f"tokens must be str, got {type(token).__name__} for id {i}")
    try:
        token.encode("utf8")
    except UnicodeEncodeError:
        raise ValueError(f"tokens must hold no lone surrogate, got {token!r} for id {i}") from None
    if not token or "\n" in token or "\r" in token:
        raise ValueError(f"tokens must be text without a line end, got {token!r} for id {i}")
