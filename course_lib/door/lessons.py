"""Where the lessons are: ``notebooks/21_name.ipynb`` and its text twin in ``notebooks/text/``."""

import re
from pathlib import Path
from typing import NamedTuple

from course_lib.door.files import ROOT


class Lesson(NamedTuple):
    """One lesson: its two-digit number, the notebook, and its text twin (either may be missing)."""

    number: str
    notebook: Path
    twin: Path


def all_lessons(root: Path = ROOT) -> list[Lesson]:
    """Every lesson that exists as a notebook or as a twin, by number."""
    notebooks = root / "notebooks"
    found = [*notebooks.glob("*.ipynb"), *(notebooks / "text").glob("*.py")]
    names = sorted({path.stem for path in found if re.match(r"\d\d_\w+$", path.stem)})
    return [
        Lesson(name[:2], notebooks / f"{name}.ipynb", notebooks / "text" / f"{name}.py")
        for name in names
    ]


def choose(wanted: list[str], root: Path = ROOT) -> list[Lesson]:
    """The lessons with these numbers; all of them when no number is given."""
    lessons = all_lessons(root)
    known = {lesson.number: lesson for lesson in lessons}
    numbers = [re.sub(r"_.*", "", Path(name).stem).zfill(2) for name in wanted]
    unknown = [name for name, number in zip(wanted, numbers, strict=True) if number not in known]
    if unknown:
        raise ValueError(
            f"there is no lesson {', '.join(unknown)}; the lessons are "
            + (", ".join(known) or "not there yet")
        )
    return [known[number] for number in numbers] if wanted else lessons
