import pytest
from bert_oracle import published

from course_lib import packaged
from course_lib.tokenizers.bert_published import published_vocabulary


def test_the_tokens_of_bert_base_uncased():
    vocabulary = published()
    assert len(vocabulary) == 30522
    known = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, "the": 1996}
    assert {token: vocabulary.id_of(token) for token in known} == known


def test_it_says_how_to_install_what_is_absent(monkeypatch):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    with pytest.raises(ModuleNotFoundError, match="course_lib extras pretrained"):
        published_vocabulary()


@pytest.mark.parametrize(("demanded", "outcome"), [("1", "Failed"), ("", "Skipped")])
def test_ci_demands_it(monkeypatch, demanded, outcome):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    monkeypatch.setenv("COURSE_REQUIRE_EXTRAS", demanded)
    with pytest.raises(BaseException, match="which is not installed") as raised:
        published()
    assert raised.type.__name__ == outcome
