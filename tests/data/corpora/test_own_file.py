import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.data.corpora import own_file
from course_lib.data.corpora.own_file import text_file

LINES = "".join(f"line {i} of my own text, ä\n" for i in range(100))


@pytest.fixture
def write(tmp_path):
    def written(content, name="mine.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf8"))
        return path

    return written


def test_the_last_tenth_is_held_out_from_a_line_on(write):
    corpus = text_file(write(LINES))
    assert (corpus.train + corpus.validation).decode() == LINES
    assert corpus.validation.startswith(b"line 90 ") or corpus.validation.startswith(b"line 91 ")
    assert corpus.train.endswith(b"\n")


def test_nothing_of_the_folder_is_told(write, tmp_path):
    corpus = text_file(str(write(LINES)))
    assert corpus.name == "mine.txt" and corpus.source == "the file mine.txt"
    assert tmp_path.name not in repr(vars(corpus))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\ufeff"), min_size=2))
def test_any_text_comes_back_whole_and_both_parts_hold_some(write, text):
    corpus = text_file(write(text))
    assert corpus.train.decode() + corpus.validation.decode() == text


def test_line_ends_and_the_mark_of_the_byte_order(write):
    corpus = text_file(write(b"\xef\xbb\xbf" + b"one\r\n" * 9 + b"two\rthree\r\n"))
    assert corpus.train + corpus.validation == b"one\n" * 9 + b"two\nthree\n"


def test_a_single_line_is_cut_in_it(write):
    corpus = text_file(write("語" * 100))
    assert (corpus.train.decode(), corpus.validation.decode()) == ("語" * 90, "語" * 10)


def test_no_more_is_read_than_asked_for(write):
    corpus = text_file(write("é" * 3000), max_bytes=1001)  # the last é is cut in two
    assert (corpus.train + corpus.validation).decode() == "é" * 500


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("café, naïve".encode("latin-1"), "got the byte 0xe9 at position 3: save it as UTF-8"),
        ("Notepad's other kind".encode("utf-16"), "must be text in UTF-8, got the byte"),
        (b"cut in a charact\xc3", "got the byte 0xc3 at position 16"),
        (b"", "train must not be empty: mine.txt gave no text"),
        (b"\xef\xbb\xbf", "train must not be empty"),
    ],
)
def test_what_is_no_text_is_named(write, content, said):
    with pytest.raises(ValueError, match=said):
        text_file(write(content))


def test_a_very_large_file_asks_how_much(write, monkeypatch):
    monkeypatch.setattr(own_file, "_WHOLE", 2000)
    path = write(LINES)
    with pytest.raises(ValueError, match="mine.txt has 2,690 bytes: above 2,000 say how"):
        text_file(path)
    assert len(text_file(path, max_bytes=1000).train) > 800


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="text must be the path of a file, got"):
        text_file(tmp_path)
    with pytest.raises(ValueError, match="max_bytes must be a whole number >= 1000, got 5"):
        text_file(tmp_path / "none", max_bytes=5)
