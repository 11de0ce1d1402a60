"""``python -m course_lib bench``: our training step and tokenizer against the published ones."""

from course_lib.bench.command import main

__all__ = ["main"]
