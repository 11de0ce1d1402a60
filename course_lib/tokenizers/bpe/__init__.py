"""Byte-level byte-pair encoding: training in three steps, encoding, files."""

from course_lib.tokenizers.bpe.published import load_gpt2, load_tiktoken
from course_lib.tokenizers.bpe.tokenizer import BPETokenizer

__all__ = ["BPETokenizer", "load_gpt2", "load_tiktoken"]
