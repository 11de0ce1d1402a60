"""The exercises of lesson 62: right answers by what was done to the word, parameters of BERT."""

from course_lib.checks.lesson_62.kinds import right_by_kind
from course_lib.checks.lesson_62.parameters import encoder_parameters

__all__ = ["encoder_parameters", "right_by_kind"]
