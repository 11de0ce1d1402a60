import math

import pytest
import torch
from torch import nn

from course_lib.config import GPTConfig
from course_lib.data.corpora import Corpus
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import surprises
from course_lib.data.training_text import corpus_ids, story_ids
from course_lib.data.whole_texts import WholeTexts
from course_lib.experiments import compression, rivals
from course_lib.experiments.rivals import floor_bits, gpt_bits, held_out_piece, rival_bits

LINES = b"".join(b"line %d of a text that repeats itself, line %d\n" % (i, i) for i in range(400))
CORPUS = Corpus("lines", "none", "made here", LINES, LINES[:900] + b"the end, caf\xc3\xa9\n")


class Uniform(nn.Module):
    """Gives every token the same probability."""

    def __init__(self, vocab_size, max_seq_len):
        super().__init__()
        self.config = GPTConfig(vocab_size, max_seq_len, d_model=2, n_layers=1, n_heads=1)
        self.unused = nn.Parameter(torch.zeros(1))

    def forward(self, ids):
        return torch.zeros(*ids.shape, self.config.vocab_size)


@pytest.mark.parametrize("kind", ["words", "bytes", "bpe"])
def test_a_piece_of_stories_is_whole_stories_with_a_line_end_each(kind):
    text = story_ids(kind, 20, 9, n_merges=20)
    piece = held_out_piece(text, 4 * text.validation.n_scored // 9)
    assert isinstance(piece.ids, WholeTexts) and 2 <= len(piece.ids) < 9
    assert piece.as_bytes.endswith(b" .\n") and piece.as_bytes.count(b"\n") == len(piece.ids)
    scored = (piece.ids.targets != -100).sum().item()
    assert piece.ids.n_scored == scored <= 4 * text.validation.n_scored // 9
    for line in piece.as_bytes.decode().splitlines():
        assert surprises(everyday_stories(), line.split())


@pytest.mark.parametrize("kind", ["bytes", "bpe"])
def test_a_piece_of_a_real_text_is_its_beginning(kind):
    text = corpus_ids(CORPUS, kind, 30)
    piece = held_out_piece(text, 70)
    assert len(piece.ids) == 70
    assert CORPUS.validation.startswith(piece.as_bytes)
    assert held_out_piece(text, 10**6).as_bytes == CORPUS.validation
    assert (len(piece.as_bytes) == 70) == (kind == "bytes")


def test_the_rivals_read_the_training_text_and_code_the_piece():
    text = corpus_ids(CORPUS)
    piece = held_out_piece(text, 500)
    bits = rival_bits(text, piece)
    assert list(bits) == ["byte frequencies", "gzip", "xz", "your GPT"]
    assert bits.pop("your GPT") is None
    for name, measure in (
        ("byte frequencies", compression.frequency_bits_per_byte),
        ("gzip", compression.gzip_bits_per_byte), ("xz", compression.xz_bits_per_byte),
    ):  # fmt: skip
        assert bits[name] == measure(CORPUS.validation[:500], CORPUS.train)


def test_compressors_read_the_end_of_a_long_text(monkeypatch):
    monkeypatch.setattr(rivals, "MOST_READ", 700)
    text = story_ids("words", 30, 5)
    piece = held_out_piece(text, 100)
    whole = "".join(text.decode(row[row != -100][:-1]) + "\n" for row in text.train.targets)
    assert rival_bits(text, piece)["byte frequencies"] == compression.frequency_bits_per_byte(
        piece.as_bytes, whole.encode()[-700:]
    )


def test_bits_per_byte_do_not_depend_on_what_a_token_is():
    for kind, merges in (("bytes", 20), ("bpe", 40)):
        text = corpus_ids(CORPUS, kind, merges)
        piece = held_out_piece(text, 301)
        scored = len(piece.ids) - 1  # nothing stands before the first
        expected = scored * math.log2(text.vocab_size) / len(piece.as_bytes)
        assert gpt_bits(Uniform(text.vocab_size, 32), piece) == pytest.approx(expected, rel=1e-5)
    text = story_ids("words", 5, 8)
    piece = held_out_piece(text, 10**6)
    expected = piece.ids.n_scored * math.log2(text.vocab_size) / len(piece.as_bytes)
    assert gpt_bits(Uniform(text.vocab_size, 96), piece) == pytest.approx(expected, rel=1e-5)


def test_the_floor_is_what_one_who_knows_the_grammar_needs():
    text = story_ids("words", 5, 600)
    piece = held_out_piece(text, 10**6)
    nats = sum(
        sum(surprises(everyday_stories(), line.split()))
        for line in piece.as_bytes.decode().splitlines()
    )
    needed = nats / math.log(2) / len(piece.as_bytes)
    assert floor_bits(text, piece) == pytest.approx(needed, rel=0.03)
    real = corpus_ids(CORPUS)
    assert floor_bits(real, held_out_piece(real, 50)) is None


def test_a_piece_holds_something():
    with pytest.raises(ValueError, match="n_tokens must be a whole number >= 2, got 1"):
        held_out_piece(story_ids("words", 5, 5), 1)
