import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.byte_ids import byte_ids, text_of


def test_ids_are_the_bytes():
    assert byte_ids(b"\x00AB\xff").tolist() == [0, 65, 66, 255]
    assert byte_ids("é").tolist() == [0xC3, 0xA9]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_round_trip(text):
    assert text_of(byte_ids(text)) == text


def test_broken_bytes_become_the_replacement_character():
    assert text_of(torch.tensor([65, 0xC3, 66])) == "A\ufffdB"
    assert text_of(torch.tensor([], dtype=torch.long)) == ""


def test_ids_do_not_share_memory_with_the_text():
    text = bytearray(b"abc")
    ids = byte_ids(bytes(text))
    ids[0] = 0
    assert text == b"abc"


@pytest.mark.parametrize("empty", ["", b""])
def test_empty_text(empty):
    with pytest.raises(ValueError, match="text must not be empty"):
        byte_ids(empty)


@pytest.mark.parametrize("given", [3, None, [1, 2]])
def test_what_is_no_text_is_named(given, as_shipped):
    with pytest.raises(TypeError, match="text must be bytes or str, got"):
        as_shipped(byte_ids)(given)
