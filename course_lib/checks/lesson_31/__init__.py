"""The exercises of lesson 31: eps in the right place, RMS norm, and RMS norm's gradient."""

from course_lib.checks.lesson_31.layer_norm import broken_layer_norm, repair_layer_norm
from course_lib.checks.lesson_31.rms_gradient import rms_gradient
from course_lib.checks.lesson_31.rms_norm import divide_by_rms

__all__ = ["broken_layer_norm", "divide_by_rms", "repair_layer_norm", "rms_gradient"]
