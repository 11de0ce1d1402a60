"""The exercises of lesson 42: AdamW's update, and what a schedule of rates leaves of a weight."""

from course_lib.checks.lesson_42.adamw_step import adamw_step
from course_lib.checks.lesson_42.share_left import share_left

__all__ = ["adamw_step", "share_left"]
