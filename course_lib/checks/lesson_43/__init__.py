"""The exercises of lesson 43: a schedule to repair, clipping, and what Adam does after a spike."""

from course_lib.checks.lesson_43.after_spike import after_spike
from course_lib.checks.lesson_43.clip_two import clip_two
from course_lib.checks.lesson_43.repair_schedule import repair_schedule

__all__ = ["after_spike", "clip_two", "repair_schedule"]
