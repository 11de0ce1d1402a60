"""The exercises of lesson 22: how far a window reaches, two masks in one, a fill that fails."""

from course_lib.checks.lesson_22.fill import broken_masked_softmax, masked_softmax
from course_lib.checks.lesson_22.padding import causal_with_padding
from course_lib.checks.lesson_22.reach import farthest_back

__all__ = ["broken_masked_softmax", "causal_with_padding", "farthest_back", "masked_softmax"]
