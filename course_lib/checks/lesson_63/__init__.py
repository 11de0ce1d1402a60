"""The exercise of lesson 63: the loss of the head that answers with a span."""

from course_lib.checks.lesson_63.span import span_loss

__all__ = ["span_loss"]
