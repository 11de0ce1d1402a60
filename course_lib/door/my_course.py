"""The learner's own copies of the lessons, in ``my_course/``: made once, never overwritten."""

import datetime
from pathlib import Path

from course_lib.door.files import ROOT, write_atomically
from course_lib.door.lessons import Lesson, all_lessons

FOLDER = ROOT / "my_course"


def update(folder: Path | None = None, lessons: list[Lesson] | None = None) -> list[Path]:
    """Copy the lessons that are not there yet; the paths of the new copies."""
    folder = folder or FOLDER
    folder.mkdir(exist_ok=True)
    lessons = all_lessons() if lessons is None else lessons
    new = []
    for lesson in lessons:
        copy = folder / lesson.notebook.name
        if lesson.notebook.exists() and not copy.exists():
            write_atomically(copy, lesson.notebook.read_bytes())
            new.append(copy)
    return new


def fresh(lesson: Lesson, folder: Path | None = None) -> Path | None:
    """A new copy of one lesson; the path under which the old one was kept, if there was one."""
    folder = folder or FOLDER
    if not lesson.notebook.exists():
        raise ValueError(f"lesson {lesson.number} has no notebook yet")
    folder.mkdir(exist_ok=True)
    content = lesson.notebook.read_bytes()
    copy = folder / lesson.notebook.name
    kept = None
    if copy.exists():
        kept = dated(copy)
        write_atomically(kept, copy.read_bytes())
    write_atomically(copy, content)
    return kept


def dated(path: Path) -> Path:
    """A free name with the time in it: 21_name.2026-11-29-1430.ipynb."""
    moment = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    name = path.with_name(f"{path.stem}.{moment}{path.suffix}")
    count = 2
    while name.exists():
        name = path.with_name(f"{path.stem}.{moment}-{count}{path.suffix}")
        count += 1
    return name
