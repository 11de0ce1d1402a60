"""What pyproject.toml asks for, and whether the running interpreter has it."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

from course_lib.door.files import ROOT

CHECKS = {
    ">=": lambda have, want: have >= want,
    "<=": lambda have, want: have <= want,
    "<": lambda have, want: have < want,
    ">": lambda have, want: have > want,
    "==": lambda have, want: have[: len(want)] == want,
    "!=": lambda have, want: have[: len(want)] != want,
}


def project(root: Path = ROOT) -> dict:
    """All of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))


def tool() -> dict:
    """The course's own table: the torch to install first, its index, the Pythons it is for."""
    return project()["tool"]["course_lib"]


def requirements(extra: str = "") -> list[str]:
    """The run-time dependencies, and those of one extra."""
    table = project()["project"]
    if not extra:
        return list(table["dependencies"])
    return [*table["dependencies"], *table["optional-dependencies"][extra]]


def extras() -> dict[str, list[str]]:
    """What can be installed on top: the name of each extra and its packages."""
    return project()["project"].get("optional-dependencies", {})


def split(requirement: str) -> tuple[str, list[tuple[str, str]]]:
    """'torch>=2.6,<3' -> ('torch', [('>=', '2.6'), ('<', '3')])."""
    name, rest = re.match(r"([\w.-]+)\s*(.*)", requirement).groups()
    return name, re.findall(r"(>=|<=|==|!=|<|>)\s*([\w.*]+)", rest)


def numbers(version: str) -> tuple[int, ...]:
    """'2.13.0+cpu' -> (2, 13, 0); what follows the release number does not count."""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", version)[0].split("."))


def allows(requirement: str, version: str) -> bool:
    """Whether a version meets a requirement."""
    have = numbers(version)
    wanted = [(CHECKS[sign], numbers(text)) for sign, text in split(requirement)[1]]
    return all(check(have + (0,) * (len(want) - len(have)), want) for check, want in wanted)


def installed(name: str) -> str | None:
    """The version of an installed package, None when it is absent."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def missing(extra: str = "") -> list[str]:
    """The requirements that the running interpreter does not meet."""
    found = [(line, installed(split(line)[0])) for line in requirements(extra)]
    return [line for line, version in found if version is None or not allows(line, version)]
