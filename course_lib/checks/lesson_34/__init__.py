"""The exercises of lesson 34: what attention writes, and an initialisation to repair."""

from course_lib.checks.lesson_34.attention_write import attention_write
from course_lib.checks.lesson_34.beside_a_block import beside_a_block
from course_lib.checks.lesson_34.repair import repair_initialise
from course_lib.checks.lesson_34.tiny_gpt import TinyGPT

__all__ = ["TinyGPT", "attention_write", "beside_a_block", "repair_initialise"]
