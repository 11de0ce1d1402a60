import json
import re

import pytest
from optional_packages import needs, put

from course_lib.data.corpora.two_parts import is_held_out
from course_lib.data.corpora.wikipedia import ABOUT, Article, articles, wikipedia_text


def some(n=60):
    fields = [
        {"title": f"Title {i}", "extract": f"Thing {i} is a thing.\nIt is números.",
         "description": "" if i % 7 else "Thing", "topic": "Arts"}
        for i in range(n)
    ]  # fmt: skip
    return {f"key {i}": entry for i, entry in enumerate(fields)}


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    put(monkeypatch, tmp_path, "wikipedia", json.dumps(some()))


@pytest.fixture(scope="module")
def real():
    return articles()


def test_titles_are_held_out_by_their_hash(made_up):
    train, validation = articles()
    assert {a.title for a in train + validation} == {f"Title {i}" for i in range(60)}
    assert len(train) + len(validation) == 60 and 1 < len(validation) < 16
    assert all(is_held_out(a.title) for a in validation)
    assert not any(is_held_out(a.title) for a in train)


def test_the_order_is_that_of_the_hash_not_of_the_file(made_up, monkeypatch, tmp_path):
    before = articles()
    turned = dict(reversed(some().items()))
    put(monkeypatch, tmp_path / "turned", "wikipedia", json.dumps(turned))
    assert articles() == before
    assert [a.title for a in before.train] != sorted(a.title for a in before.train)


def test_all_fields_are_kept(made_up):
    found = {a.title: a for a in articles().train + articles().validation}
    assert found["Title 14"] == Article(
        "Title 14", "Thing 14 is a thing.\nIt is números.", "Thing", "Arts")  # fmt: skip
    assert found["Title 15"].description == ""


def test_the_text_is_the_extracts_unchanged(made_up):
    corpus = wikipedia_text()
    train, validation = articles()
    assert corpus.train.decode() == "".join(a.extract + "\n\n" for a in train)
    assert corpus.validation.decode() == "".join(a.extract + "\n\n" for a in validation)
    assert "CC BY-SA 4.0" in corpus.attribution and "Wikipedia" in corpus.attribution


def test_an_address_that_can_be_opened():
    article = Article("Canción/O'Neill? ü", "x", "", "Arts")
    assert article.address == (
        "https://en.wikipedia.org/wiki/Canci%C3%B3n/O%27Neill%3F_%C3%BC")
    assert not re.search(r"[ ?]", article.address)


@needs("wikipedia")
def test_the_real_articles(real):
    assert (len(real.train), len(real.validation)) == (9013, 1020)
    every = real.train + real.validation
    assert len({a.title for a in every}) == len({a.extract for a in every}) == len(every) == 10_033
    assert all(a.title and a.extract and a.topic for a in every)
    assert sum(not a.description for a in every) == 171
    assert len({a.topic for a in every}) == 12
    assert {a.topic for a in real.validation} == {a.topic for a in real.train}


@needs("wikipedia")
def test_the_real_text():
    corpus = wikipedia_text()
    assert len(corpus.train) + len(corpus.validation) == ABOUT.n_bytes
    assert corpus.repeated() == 0
    assert len(corpus.at_most(1_000_000).train) > 890_000
