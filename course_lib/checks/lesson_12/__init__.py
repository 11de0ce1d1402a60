"""Exercises of lesson 12."""

from course_lib.checks.lesson_12.cut_word import cut_word
from course_lib.checks.lesson_12.first_fault import first_fault
from course_lib.checks.lesson_12.pair_input import pair_input

__all__ = ["cut_word", "first_fault", "pair_input"]
