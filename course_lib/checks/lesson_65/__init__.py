"""The exercises of lesson 65: operations that a block needs, and tokens read to write on."""

from course_lib.checks.lesson_65.operations_needed import operations_needed
from course_lib.checks.lesson_65.tokens_to_write import tokens_to_write

__all__ = ["operations_needed", "tokens_to_write"]
