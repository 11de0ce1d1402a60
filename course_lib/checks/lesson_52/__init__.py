"""The exercises of lesson 52: a cache's size, reading on from it, and a text out of its blocks."""

from course_lib.checks.lesson_52.bytes_needed import cache_bytes
from course_lib.checks.lesson_52.from_blocks import from_blocks
from course_lib.checks.lesson_52.read_on import read_on

__all__ = ["cache_bytes", "from_blocks", "read_on"]
