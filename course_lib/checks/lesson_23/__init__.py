"""The exercises of lesson 23: heads side by side, what each adds, and a model without one."""

from course_lib.checks.lesson_23.adding import head_contributions
from course_lib.checks.lesson_23.merging import broken_merge, join_heads
from course_lib.checks.lesson_23.silencing import silence_head

__all__ = ["broken_merge", "head_contributions", "join_heads", "silence_head"]
