"""The exercises of lesson 24: the matrix that shifts, the rotation of rotary, and what it turns."""

from course_lib.checks.lesson_24.matrix_between import matrix_between
from course_lib.checks.lesson_24.rotary import rotate
from course_lib.checks.lesson_24.rotary_attention import broken_rotary_attention, repair_rotary

__all__ = ["broken_rotary_attention", "matrix_between", "repair_rotary", "rotate"]
