"""The type checker of the test run: beartype, with an int accepted where a float is asked for."""

import pkgutil
from collections.abc import Iterator
from pathlib import Path

from beartype import BeartypeConf, beartype
from jaxtyping import install_import_hook

check = beartype(conf=BeartypeConf(is_pep484_tower=True))

LIBRARY = Path(__file__).parents[2] / "course_lib"
# Reading stories is many small calls and no tensor: checked, it takes ten times as long.
LEFT_OUT = "course_lib.data.stories"


def watch() -> None:
    """Check the types and shapes of every call from now on, in what is imported from now on."""
    install_import_hook(list(watched("course_lib", LIBRARY)), "typecheck.check")


def watched(name: str, folder: Path) -> Iterator[str]:
    """The modules and packages of a package, found without importing them."""
    for module in pkgutil.iter_modules([str(folder)], f"{name}."):
        if LEFT_OUT.startswith(f"{module.name}."):
            yield from watched(module.name, folder / module.name.rpartition(".")[2])
        elif module.name != LEFT_OUT:
            yield module.name
