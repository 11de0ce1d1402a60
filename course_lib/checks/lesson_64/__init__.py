"""The exercises of lesson 64: one name, and one matrix, from their language into ours."""

from course_lib.checks.lesson_64.name import TABLE, our_name
from course_lib.checks.lesson_64.split import split_c_attn

__all__ = ["TABLE", "our_name", "split_c_attn"]
