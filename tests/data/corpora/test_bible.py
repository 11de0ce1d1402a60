import pytest
from optional_packages import needs, put

from course_lib.data.corpora.bible import ABOUT, web_bible
from course_lib.data.corpora.two_parts import is_held_out

TRAIN = [name for name in map(str, range(1001, 1400)) if not is_held_out(name)]
HELD_OUT = [name for name in map(str, range(1001, 1400)) if is_held_out(name)]


def package(chapters):
    """A file like the package's: one text, and where each verse begins and ends in it."""
    text, starts, ends = "", {}, {}
    for chapter, verses in chapters.items():
        for number, verse in enumerate(verses, 1):
            starts[int(chapter) * 1000 + number] = len(text)
            text += verse
            ends[int(chapter) * 1000 + number] = len(text)
            text += "   "
    call = f'bible = Bible(Version.X, """{text}""", {starts}, {ends}, {{}}, False)'
    return f"import no_such_package\n\n{call}\n"


def verses(subject, n=10):
    return [f"And {subject} number {i} spoke to the people." for i in range(n)]


def load(monkeypatch, folder, chapters):
    put(monkeypatch, folder, "web-bible", package(chapters))
    return web_bible()


def test_a_verse_a_line_a_chapter_a_paragraph(monkeypatch, tmp_path):
    chapters = {TRAIN[0]: ["God`s  Spirit   moved,", "said [the man]."], HELD_OUT[0]: ["Amen."]}
    corpus = load(monkeypatch, tmp_path, chapters)
    assert corpus.train == b"God's Spirit moved,\nsaid [the man].\n\n"
    assert corpus.validation == b"Amen.\n\n"


def test_chapters_are_held_out_by_their_number_and_mixed(monkeypatch, tmp_path):
    chapters = {name: verses(f"the prophet {name}") for name in TRAIN[:9] + HELD_OUT[:2]}
    corpus = load(monkeypatch, tmp_path, chapters)
    for part, names in ((corpus.train, TRAIN[:9]), (corpus.validation, HELD_OUT[:2])):
        found = [paragraph.split()[3].decode() for paragraph in part.split(b"\n\n")[:-1]]
        assert sorted(found) == names
    assert [p.split()[3].decode() for p in corpus.train.split(b"\n\n")[:-1]] != TRAIN[:9]


def test_a_parallel_chapter_is_dropped(monkeypatch, tmp_path):
    told = verses("the king")
    again = told[:3] + verses("the priest", 7)
    near = told[:2] + verses("the scribe", 8)  # two verses in ten may be the same
    chapters = {TRAIN[0]: told, HELD_OUT[0]: again, HELD_OUT[1]: near}
    corpus = load(monkeypatch, tmp_path, chapters)
    assert b"the priest" not in corpus.train + corpus.validation
    assert corpus.validation.count(b"the scribe") == 8


@needs("web-bible")
def test_the_real_one():
    corpus = web_bible()
    assert len(corpus.train) + len(corpus.validation) == ABOUT.n_bytes
    assert corpus.train.count(b"\n\n") == 1058 and corpus.validation.count(b"\n\n") == 129
    assert 0 < corpus.repeated() < 0.02  # "Yahweh spoke to Moses, saying," and the like
    both = corpus.train + corpus.validation
    assert b"`" not in both and b"  " not in both
    assert b"In the beginning God created the heavens and the earth.\n" in both


@needs("web-bible")
@pytest.mark.parametrize("part", ["train", "validation"])
def test_no_chapter_is_in_both(part):
    corpus = web_bible()
    other = {"train": corpus.validation, "validation": corpus.train}[part]
    assert not set(getattr(corpus, part).split(b"\n\n")[:-1]) & set(other.split(b"\n\n")[:-1])
