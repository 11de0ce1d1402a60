"""``notebooks``: execute lessons, strip noise, write their text twins."""

import argparse
import os
import time

from course_lib.door.clean import clean
from course_lib.door.execute import LessonFailed, execute
from course_lib.door.files import ROOT, write_atomically
from course_lib.door.lessons import Lesson, choose
from course_lib.door.twins import dress, first_difference, from_text, to_text


def parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib notebooks``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib notebooks",
        description="Execute lessons, strip noise, write their text twins (notebooks/text).",
    )
    made.add_argument("lessons", nargs="*", metavar="NN", help="lesson numbers; none: all lessons")
    source = made.add_mutually_exclusive_group()
    source.add_argument("--from-text", action="store_true",
                        help="build the notebook from its text twin first (how authors work)")
    source.add_argument("--from-notebook", action="store_true",
                        help="the notebook is right: write the twin anew")
    source.add_argument("--check", action="store_true",
                        help="compare notebooks and twins only; execute and write nothing")
    return made


def main(argv: list[str]) -> int:
    """Make or check the chosen lessons; 0 when all went well."""
    options = parser().parse_args(argv)
    try:
        lessons = choose(options.lessons)
    except ValueError as error:
        print(error)
        return 2
    # The kernels find the course also where it is not installed.
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{ROOT}{os.pathsep}{path}" if path else str(ROOT)
    failed = []
    for lesson in lessons:
        try:
            print(f"{lesson.number}: {check(lesson) if options.check else make(lesson, options)}",
                  flush=True)
        except (LessonFailed, ValueError) as error:
            print(f"{lesson.number}: {error}", flush=True)
            failed.append(lesson.number)
    if failed:
        print(f"not in order: {', '.join(failed)}" + ("" if options.check else "; left as before"))
    return 1 if failed else 0


def read(lesson: Lesson):
    """The notebook of a lesson as it is stored."""
    import nbformat

    return nbformat.read(lesson.notebook, as_version=4)


def check(lesson: Lesson) -> str:
    """Compare a lesson with its twin; ValueError says where they differ."""
    for path in (lesson.notebook, lesson.twin):
        if not path.exists():
            raise ValueError(f"{path.relative_to(ROOT).as_posix()} is missing")
    notebook = read(lesson)
    difference = first_difference(notebook, from_text(lesson.twin.read_text(encoding="utf8")))
    if difference is None and to_text(notebook) != lesson.twin.read_text(encoding="utf8"):
        difference = "the twin is not written the way this command writes it"
    if difference:
        raise ValueError(f"notebook and twin differ ({difference})")
    return "notebook and twin agree"


def source(lesson: Lesson, options: argparse.Namespace):
    """The cells to execute: from the twin or the notebook; never a guess when they differ."""
    twin = from_text(lesson.twin.read_text(encoding="utf8")) if lesson.twin.exists() else None
    stored = read(lesson) if lesson.notebook.exists() else None
    if options.from_text and twin is None:
        raise ValueError(f"{lesson.twin.name} does not exist, so there is no text to build from")
    if options.from_notebook and stored is None:
        raise ValueError(f"{lesson.notebook.name} does not exist")
    if options.from_text or stored is None:
        return twin
    if twin is not None and not options.from_notebook:
        difference = first_difference(stored, twin)
        if difference:
            raise ValueError(f"notebook and twin differ ({difference}); "
                             "say --from-text or --from-notebook to choose the one that is right")
    return dress(stored)


def make(lesson: Lesson, options: argparse.Namespace) -> str:
    """Execute one lesson and write both files; a failing cell leaves both untouched."""
    import nbformat

    notebook = source(lesson, options)
    text = to_text(notebook)
    lost = first_difference(notebook, from_text(text))
    if lost:
        raise ValueError(f"{lost} when written as text and read again; a line in a cell must not "
                         "begin with '# %%'")
    start = time.monotonic()
    peak = execute(notebook, lesson.notebook.parent)
    seconds = time.monotonic() - start
    clean(notebook)
    nbformat.validate(notebook)
    stored = nbformat.writes(notebook)
    lesson.twin.parent.mkdir(exist_ok=True)
    write_atomically(lesson.notebook, stored if stored.endswith("\n") else stored + "\n")
    write_atomically(lesson.twin, text)
    size = len(stored.encode("utf8")) / 1000
    memory = "" if peak is None else f", peak memory {peak:.0f} MB"
    return f"executed in {seconds:.1f} s, {size:.0f} kB{memory}"
