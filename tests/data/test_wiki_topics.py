import json

import pytest
from optional_packages import needs, put

from course_lib.data.wiki_topics import MAX_TOKENS, first_sentence, wiki_topics
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS


def test_the_first_sentence():
    text = "Oslo is the capital and largest city of Norway. It lies on a fjord."
    assert first_sentence(text) == "Oslo is the capital and largest city of Norway."
    text = "St. Paul is the capital of the state of Minnesota. It lies on a river."
    assert first_sentence(text) == "St. Paul is the capital of the state of Minnesota."
    assert first_sentence("Short. Text.") == "Short. Text."


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    words = ["oslo", "is", "a", "city", "in", "norway", "."]
    articles = {
        str(i): {"title": f"Title {i}", "description": "", "topic": ("Art", "Sport")[i % 2],
                 "extract": f"Oslo is a city in norway{' in' * i}. More."}
        for i in range(20)
    }  # fmt: skip
    articles["x"] = {**articles["0"], "title": "No topic", "topic": "Uncategorized"}
    put(monkeypatch, tmp_path / "w", "wikipedia", json.dumps(articles))
    put(monkeypatch, tmp_path / "v", "bert-vocabulary", "\n".join([*SPECIAL_TOKENS, *words]) + "\n")


def test_no_article_is_in_two_parts(made_up):
    topics = wiki_topics(10, 4, 6)
    assert topics.names == ("Art", "Sport")
    sentences = [s for part in ("train", "choice", "test") for s in topics.sentences[part]]
    assert len(set(sentences)) == 20
    assert [len(part) for part in (topics.train, topics.choice, topics.test)] == [10, 4, 6]
    for part in ("train", "choice", "test"):
        for sentence, label in zip(
            topics.sentences[part], getattr(topics, part).rows.labels, strict=True
        ):
            assert label == sentence.count(" in") % 2 ^ 1  # " in norway" and i more
    again = wiki_topics(3, 4, 6)
    assert again.sentences["test"] == topics.sentences["test"]
    with pytest.raises(ValueError, match=r"must be <= 20, as many as have a topic, got 21"):
        wiki_topics(11, 4, 6)


@needs("wikipedia")
def test_the_real_ones():
    topics = wiki_topics(50, 20, 3000)
    assert len(topics.names) == 11
    assert topics.test.rows.token_ids.shape[1] <= MAX_TOKENS
    assert topics.test.rows.labels.bincount().max() < 900  # no topic makes a third
