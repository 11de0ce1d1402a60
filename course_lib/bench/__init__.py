"""``python -m course_lib bench``: our training step against that of transformers' GPT-2."""

from course_lib.bench.command import main

__all__ = ["main"]
