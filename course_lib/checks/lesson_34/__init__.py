"""The exercise of lesson 34: how wide the writers of a stack are drawn."""

from course_lib.checks.lesson_34.writers import spread_of_writers

__all__ = ["spread_of_writers"]
