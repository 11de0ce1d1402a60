"""The exercises of lesson 32: the gate's mean and variance, the tanh form, a width to match."""

from course_lib.checks.lesson_32.gate import gate_moments
from course_lib.checks.lesson_32.gelu_repair import broken_gelu, repair_gelu
from course_lib.checks.lesson_32.width import gated_width

__all__ = ["broken_gelu", "gate_moments", "gated_width", "repair_gelu"]
