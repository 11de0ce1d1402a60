"""``extras``: the optional texts, vocabularies and weights, without what their packages ask for."""

import argparse
from pathlib import Path

from course_lib.door import environment, pins
from course_lib.door.files import Progress

REQUIRE = "COURSE_REQUIRE_EXTRAS"  # set: a test that finds one missing fails instead of skipping
NAMES = {
    "text": "Wikipedia summaries and the World English Bible, 15 MB to load",
    "pretrained": "BERT's and GPT-2's vocabularies and MiniLM's weights, 84 MB to load",
}


def parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib extras``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib extras",
        description="Install optional data: " + "; ".join(
            f"{name} ({what})" for name, what in NAMES.items()) + ".",
    )
    made.add_argument("names", nargs="*", metavar="NAME", help="text or pretrained (both)")
    made.add_argument("--wheels", type=Path, metavar="FOLDER",
                      help="install from this folder of wheels, without a network")
    return made


def main(argv: list[str]) -> int:
    """Install them where the lessons run, and say so."""
    options = parser().parse_args(argv)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        raise ValueError(f"NAME must be one of {', '.join(NAMES)}, got {unknown[0]!r}")
    install(options.names or list(NAMES), environment.ready("", options.wheels), options.wheels)
    return 0


def install(names: list[str], python: Path, wheels: Path | None = None) -> None:
    """Install the packages of some extras for an interpreter; only they, nothing that they need.

    Raises:
        CannotInstall: when pip cannot.
    """
    wanted = [line for name in names for line in pins.extras()[name]]
    progress = Progress()
    progress.say("Installing " + ", ".join(wanted))
    environment.pip(["--no-deps", "--no-compile", *wanted], wheels, python=python)
    progress.say("Installed")
