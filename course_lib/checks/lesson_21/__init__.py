"""The exercises of lesson 21: how far scores spread, a broken attention, and softmax's slope."""

from course_lib.checks.lesson_21.attention import broken_attention, repair_attention
from course_lib.checks.lesson_21.jacobian import softmax_jacobian
from course_lib.checks.lesson_21.variance import score_variance

__all__ = ["broken_attention", "repair_attention", "score_variance", "softmax_jacobian"]
