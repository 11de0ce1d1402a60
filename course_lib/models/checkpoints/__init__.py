"""Published checkpoints: the only room that knows other people's names for our parts."""

from course_lib.models.checkpoints.bert import load_bert
from course_lib.models.checkpoints.gpt2 import load_gpt2

__all__ = ["load_bert", "load_gpt2"]
