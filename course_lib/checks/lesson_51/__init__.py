"""The exercises of lesson 51: a temperature for probabilities, and top-p."""

from course_lib.checks.lesson_51.nucleus import top_p
from course_lib.checks.lesson_51.reheat import reheat

__all__ = ["reheat", "top_p"]
