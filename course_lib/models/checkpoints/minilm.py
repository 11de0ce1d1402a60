"""MiniLM: a small published BERT encoder, from the optional extra ``pretrained``."""

import torch

from course_lib.config import BertConfig
from course_lib.models.bert import Bert
from course_lib.models.checkpoints.bert import load_bert
from course_lib.models.checkpoints.files import read_tensors
from course_lib.packaged import find

MINILM = BertConfig(30522, 512, d_model=384, n_layers=6, n_heads=12, dropout=0.1)


def load_minilm() -> Bert:
    """Make our BERT with the weights of all-MiniLM-L6-v2, in evaluation mode.

    It reads BERT's published vocabulary (``tokenizers.bert_published``).  It was trained to give
    sentences of like meaning like vectors, and has no head that names hidden words.

    Raises:
        ModuleNotFoundError: if the package is not installed; the message says how to install it.
        ValueError: if the file differs from the published one.

    Source:
        Wang et al. 2020 (MiniLM); Reimers and Gurevych 2019 for vectors of sentences.  The
        weights are sentence-transformers/all-MiniLM-L6-v2, licence Apache-2.0.
    """
    tensors = read_tensors(find("minilm"))
    with torch.random.fork_rng(devices=[]):  # the random start is replaced straight after
        model = Bert(MINILM)
    load_bert(model, tensors)
    return model.eval()
