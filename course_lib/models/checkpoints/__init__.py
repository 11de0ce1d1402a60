"""Published checkpoints: the only room that knows other people's names for our parts."""

from course_lib.models.checkpoints.bert import bert_names, load_bert
from course_lib.models.checkpoints.files import read_tensors
from course_lib.models.checkpoints.fit import Misfit
from course_lib.models.checkpoints.folder import from_folder, write_gpt2
from course_lib.models.checkpoints.gpt2 import as_gpt2, gpt2_names, load_gpt2
from course_lib.models.checkpoints.minilm import load_minilm

__all__ = [
    "Misfit",
    "as_gpt2",
    "bert_names",
    "from_folder",
    "gpt2_names",
    "load_bert",
    "load_gpt2",
    "load_minilm",
    "read_tensors",
    "write_gpt2",
]
