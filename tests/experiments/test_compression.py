import lzma
import math
import random
import zlib

import pytest

from course_lib.experiments.compression import (
    frequency_bits_per_byte,
    gzip_bits_per_byte,
    xz_bits_per_byte,
)


def noise(n, seed):
    return random.Random(seed).randbytes(n)


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


def test_bad_input_is_named():
    for measure in (gzip_bits_per_byte, xz_bits_per_byte):
        with pytest.raises(ValueError, match="text must not be empty"):
            measure(b"")
    with pytest.raises(ValueError, match="text must not be empty"):
        frequency_bits_per_byte(b"", b"abc")


@pytest.mark.parametrize(
    "method", [frequency_bits_per_byte, gzip_bits_per_byte, xz_bits_per_byte]
)
def test_text_that_is_not_bytes_is_named(method, as_shipped):
    with pytest.raises(TypeError, match="text must be bytes, got str"):
        as_shipped(method)("abc", b"abc")  # characters would be counted, not bytes
    with pytest.raises(TypeError, match="primed_with must be bytes, got NoneType"):
        as_shipped(method)(b"abc", None)
