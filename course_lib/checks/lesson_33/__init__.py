"""The exercises of lesson 33: gradients foretold from variances, and a stream taken apart."""

from course_lib.checks.lesson_33.gradient_sizes import gradient_sizes
from course_lib.checks.lesson_33.stream_parts import stream_parts

__all__ = ["gradient_sizes", "stream_parts"]
