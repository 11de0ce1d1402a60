"""The exercises of lesson 41: targets of a GPT, a broken masking, labels for sentence order."""

from course_lib.checks.lesson_41.masking import broken_masking, repair_masking
from course_lib.checks.lesson_41.order import broken_sop, sop_batch
from course_lib.checks.lesson_41.targets import next_token_targets

__all__ = ["broken_masking", "broken_sop", "next_token_targets", "repair_masking", "sop_batch"]
