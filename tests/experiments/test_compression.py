import lzma
import math
import random
import zlib

import pytest
import torch
from torch import nn

from course_lib.config import GPTConfig
from course_lib.experiments.compression import (
    frequency_bits_per_byte,
    gzip_bits_per_byte,
    model_bits_per_byte,
    windows_scored_once,
    xz_bits_per_byte,
)
from course_lib.mechanisms.losses import IGNORE
from course_lib.models.gpt import GPT


def noise(n, seed):
    return random.Random(seed).randbytes(n)


class Uniform(nn.Module):
    """Predicts that every byte is equally likely, and notes the mode it is asked in."""

    def __init__(self, max_seq_len):
        super().__init__()
        self.config = GPTConfig(256, max_seq_len, 8, 1, 1)
        self.weight = nn.Parameter(torch.zeros(1))
        self.modes = set()

    def forward(self, ids):
        self.modes.add((self.training, torch.is_grad_enabled()))
        return torch.zeros(*ids.shape, 256)


def test_frequency_by_hand():
    # With one added: A 4 of 260, B 2 of 260, unseen 1 of 260.
    expected = (2 * math.log2(65) + math.log2(130) + math.log2(260)) / 4
    assert frequency_bits_per_byte(b"ABAx", primed_with=b"AAAB") == pytest.approx(expected)
    assert frequency_bits_per_byte(bytes(range(256)), b"") == pytest.approx(8.0)


def test_frequency_approaches_the_entropy():
    text = b"aaab" * 20_000
    entropy = 2 - 0.75 * math.log2(3)
    assert frequency_bits_per_byte(text, text) == pytest.approx(entropy, abs=0.01)


@pytest.mark.parametrize("measure", [gzip_bits_per_byte, xz_bits_per_byte])
def test_noise_does_not_shrink_and_repetition_does(measure):
    assert 8 <= measure(noise(20_000, 1)) < 8.05
    assert measure(b"abcdefgh" * 4000) < 0.1


def test_gzip_equals_the_library_but_for_the_header():
    text = b"".join(b"line %d of a text\n" % i for i in range(500))
    assert gzip_bits_per_byte(text) == 8 * (len(zlib.compress(text, 9)) - 6) / len(text)


def test_priming_with_the_same_text_makes_it_nearly_free():
    text = noise(20_000, 2)
    assert gzip_bits_per_byte(text, primed_with=text) < 0.2
    assert xz_bits_per_byte(text, primed_with=text) < 0.2


def test_only_xz_sees_what_lies_further_back_than_32_kilobytes():
    text, between = noise(5_000, 3), noise(400_000, 4)
    assert gzip_bits_per_byte(text, primed_with=text + between) > 7.9
    assert xz_bits_per_byte(text, primed_with=text + between) < 2


def test_xz_is_the_difference_of_two_lengths():
    text, before = b"some text " * 50 + noise(99, 1), b"earlier text " * 100

    def length(data):
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
        return len(lzma.compress(data, lzma.FORMAT_RAW, filters=filters))

    expected = 8 * (length(before + text) - length(before)) / len(text)
    assert xz_bits_per_byte(text, before) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("length", [2, 3, 9, 10, 11, 100])
@pytest.mark.parametrize("stride", [None, 1, 4])
def test_a_uniform_model_needs_8_bits_for_each_byte(length, stride):
    if stride and stride > length - 1:
        return
    model = Uniform(max_seq_len=9)
    assert model_bits_per_byte(model, noise(length, 5), stride, 4) == pytest.approx(8.0)
    assert model.modes == {(False, False)}
    assert model.training


@pytest.mark.parametrize("stride", [1, 2, 5, 7])
def test_each_byte_is_scored_once_and_with_enough_before_it(stride):
    ids = torch.arange(40)
    inputs, targets = windows_scored_once(ids, 7, stride)
    scored = targets[targets != IGNORE]
    assert sorted(scored.tolist()) == list(range(1, 40))
    where = (targets != IGNORE).nonzero()
    seen = [int(position) + 1 for window, position in where if window > 0]
    assert min(seen) >= 7 - stride + 1
    assert torch.equal(inputs[:, 1:], inputs[:, :-1] + 1)


def test_one_window_is_the_plain_loss():
    torch.manual_seed(3)
    model = GPT(GPTConfig(256, 12, 8, 1, 2, dropout=0.3))
    text = noise(12, 6)
    ids = torch.tensor(list(text))
    logits = model.eval()(ids[None, :-1])[0]
    nats = nn.functional.cross_entropy(logits, ids[1:], reduction="sum").item()
    expected = (8 + nats / math.log(2)) / 12
    assert model_bits_per_byte(model, text) == pytest.approx(expected, rel=1e-5)


def test_bad_input_is_named():
    model = Uniform(5)
    for measure in (gzip_bits_per_byte, xz_bits_per_byte):
        with pytest.raises(ValueError, match="text must not be empty"):
            measure(b"")
    with pytest.raises(ValueError, match="text must not be empty"):
        frequency_bits_per_byte(b"", b"abc")
    with pytest.raises(ValueError, match="text must not be empty"):
        model_bits_per_byte(model, b"")
    with pytest.raises(ValueError, match="text must hold at least 2 tokens, got 1"):
        model_bits_per_byte(model, b"a")
    with pytest.raises(ValueError, match=r"stride must lie in \[1, 5\], got 6"):
        model_bits_per_byte(model, b"abcdefghi", stride=6)


@pytest.mark.parametrize(
    "method", [frequency_bits_per_byte, gzip_bits_per_byte, xz_bits_per_byte]
)
def test_text_that_is_not_bytes_is_named(method, as_shipped):
    with pytest.raises(TypeError, match="text must be bytes, got str"):
        as_shipped(method)("abc", b"abc")  # characters would be counted, not bytes
    with pytest.raises(TypeError, match="primed_with must be bytes, got NoneType"):
        as_shipped(method)(b"abc", None)
