"""GPT-2's published vocabulary, from its two files or in the form that tiktoken reads."""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from course_lib.packaged import find
from course_lib.tokenizers.bpe.encode import encode_word
from course_lib.tokenizers.bpe.tokenizer import BPETokenizer
from course_lib.tokenizers.byte_alphabet import from_visible
from course_lib.tokenizers.pretokenize import GPT2_PATTERN

END_OF_TEXT = "<|endoftext|>"


def load_gpt2(
    vocab_file: str | Path | None = None, merges_file: str | Path | None = None
) -> BPETokenizer:
    """Load GPT-2's vocabulary of 50,257 tokens, or another one in the same two files.

    Args:
        vocab_file: ``encoder.json``, also published as ``vocab.json``; left out, both files
            come from the package of the extra "pretrained".
        merges_file: ``vocab.bpe``, also published as ``merges.txt``.

    Raises:
        ModuleNotFoundError: if no files are given and the package is not installed.
        ValueError: if a file is not what it should be.

    Source:
        Radford et al. 2019; the files that OpenAI published with the model.
    """
    if (vocab_file is None) != (merges_file is None):
        raise ValueError("vocab_file and merges_file must be given together, got only one")
    if vocab_file is None or merges_file is None:
        vocab_file, merges_file = find("gpt2-encoder"), find("gpt2-merges")
    vocab, merges = _read_vocab(Path(vocab_file)), _read_merges(Path(merges_file))
    special = [END_OF_TEXT] if END_OF_TEXT.encode() in vocab.values() else []
    try:
        return BPETokenizer(vocab, merges, special_tokens=special)
    except ValueError as error:
        names = f"{Path(vocab_file).name} and {Path(merges_file).name}"
        raise ValueError(f"{names} do not fit or are damaged: {error}") from error


def load_tiktoken(
    path: str | Path,
    *,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    pattern: str | None = GPT2_PATTERN,
) -> BPETokenizer:
    """Load a vocabulary in the form that tiktoken reads: a token in base 64 and its rank a line.

    Merges are not in such a file, but follow from it: a token's parts are what the tokens
    before it make of its bytes.
    """
    vocab = _read_ranks(Path(path))
    id_of = {token: i for i, token in vocab.items()}
    ranks, new_ids, merges = {}, [], []
    for i, token in sorted(vocab.items()):
        if len(token) == 1:
            continue
        singles = [id_of.get(token[k : k + 1], -1) for k in range(len(token))]
        parts = encode_word(singles, ranks, new_ids)
        if len(parts) != 2 or -1 in parts:
            name = Path(path).name
            raise ValueError(f"{name}: no merge of tokens before it makes {token[:40]!r}")
        ranks[tuple(parts)] = len(ranks)
        new_ids.append(i)
        merges.append((vocab[parts[0]], vocab[parts[1]]))
    return BPETokenizer(vocab, merges, special_tokens=special_tokens, pattern=pattern)


def _read_vocab(path: Path) -> dict[int, bytes]:
    """Read a JSON object of tokens in visible characters and their ids."""
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        vocab = {i: from_visible(text) for text, i in found.items()}
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path.name} must be a whole JSON file of tokens and ids: {error}"
        ) from None
    if len(vocab) != len(found):
        raise ValueError(f"{path.name} must give every token an id of its own")
    return vocab


def _read_merges(path: Path) -> list[tuple[bytes, bytes]]:
    """Read a pair of tokens from each line; a first line with the file's version is skipped."""
    # Not splitlines(): some of the visible characters count as ends of a line there.
    lines = path.read_bytes().decode("utf8", "replace").replace("\r\n", "\n").split("\n")
    first = 1 if lines[0].startswith("#version") else 0
    merges = []
    for number, line in enumerate(lines[first:], first + 1):
        pair = line.split(" ")
        if len(pair) == 2:
            try:
                merges.append((from_visible(pair[0]), from_visible(pair[1])))
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None
        elif line:
            raise ValueError(f"{path.name} must hold two tokens a line, got {line!r} in {number}")
    if not merges:
        raise ValueError(f"{path.name} must hold two tokens a line, it holds none")
    return merges


def _read_ranks(path: Path) -> dict[int, bytes]:
    """Read a token in base 64 and a number from each line."""
    vocab = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            token, rank = line.split()
            i, token = int(rank), base64.b64decode(token, validate=True)
        except (ValueError, binascii.Error):
            raise ValueError(f"{path.name} must hold a token and a rank in line {number}, "
                             f"got {line[:40]!r}") from None  # fmt: skip
        if i in vocab:
            raise ValueError(f"{path.name} must hold each rank once, line {number} has {i} again")
        vocab[i] = token
    return vocab
