"""The exercises of lesson 44: what a format holds, which batches to skip, a step to repair."""

from course_lib.checks.lesson_44.format_limits import format_limits
from course_lib.checks.lesson_44.half_step import repair_step
from course_lib.checks.lesson_44.skips import skips

__all__ = ["format_limits", "repair_step", "skips"]
