"""Every exercise of every lesson, found by the names of the modules."""

import importlib
import pkgutil

from course_lib import checks
from course_lib.checks.exercise import Exercise

LESSONS = [
    importlib.import_module(f"course_lib.checks.{found.name}")
    for found in pkgutil.iter_modules(checks.__path__)
    if found.name.startswith("lesson_")
]
EXERCISES = [e for lesson in LESSONS for e in vars(lesson).values() if isinstance(e, Exercise)]
