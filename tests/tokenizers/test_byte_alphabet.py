import pytest

from course_lib.tokenizers.byte_alphabet import GPT2_BYTE_ORDER, from_visible, visible


def test_every_byte_has_a_visible_character_of_its_own():
    every = bytes(range(256))
    written = visible(every)
    assert len(set(written)) == 256
    assert all(c.isprintable() and not c.isspace() for c in written)
    assert from_visible(written) == every


def test_the_published_characters():
    assert visible(b" the\n") == "ĠtheĊ"
    assert visible("é".encode()) == "Ã©"
    assert from_visible("ĠĀÿ") == b" \x00\xff"


def test_ids_go_by_the_character():
    assert sorted(range(256), key=lambda b: visible(bytes([b]))) == list(GPT2_BYTE_ORDER)


def test_the_alphabet_of_hugging_face():
    pre_tokenizers = pytest.importorskip("tokenizers").pre_tokenizers
    assert set(visible(GPT2_BYTE_ORDER)) == set(pre_tokenizers.ByteLevel.alphabet())


def test_a_character_that_stands_for_no_byte():
    with pytest.raises(ValueError, match="'a b' must hold byte characters alone, got ' '"):
        from_visible("a b")
