import pytest
import torch

from course_lib.data.corpora.two_parts import Corpus
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.sampling import tell
from course_lib.data.training_text import BOUNDARY, KINDS, corpus_ids, story_ids
from course_lib.data.whole_texts import WholeTexts
from course_lib.mechanisms.losses import IGNORE

CORPUS = Corpus("a text", "free", "here", b"some words, some more words\n" * 50,
                "some other words, café\n".encode() * 9)  # fmt: skip


@pytest.mark.parametrize("kind", ["bytes", "bpe"])
def test_a_real_text_comes_back(kind):
    text = corpus_ids(CORPUS, kind, n_merges=20)
    assert text.decode(text.train) == CORPUS.train.decode()
    assert text.decode(text.validation) == CORPUS.validation.decode()
    assert int(max(text.train.max(), text.validation.max())) < text.vocab_size
    assert text.floor is None
    assert text.bytes_per_token == len(CORPUS.validation) / len(text.validation)


def test_merges_are_learnt_from_the_training_part_alone():
    assert corpus_ids(CORPUS, "bpe", n_merges=5).vocab_size == 261
    known = corpus_ids(Corpus("b", "free", "here", CORPUS.train, b"caf" * 50), "bpe", n_merges=20)
    assert len(known.validation) == 150  # "caf" never occurs in the training part


@pytest.fixture(scope="module", params=KINDS)
def stories(request):
    return story_ids(request.param, n_stories=60, n_held_out=40, n_merges=50)


def test_every_story_is_a_row_and_comes_back(stories):
    told = tell(60, seed=0)
    assert isinstance(stories.train, WholeTexts)
    assert len(stories.train) == 60
    for story, row, targets in zip(told, stories.train.inputs, stories.train.targets, strict=True):
        n = int((targets != IGNORE).sum())
        assert row[0] == targets[n - 1] == stories.boundary_id == stories.vocab_size - 1
        assert stories.decode(row[1:n]) == story.text


def test_held_out_stories_are_others(stories):
    told = {story.text for story in tell(60, seed=0)}
    rows = zip(stories.validation.inputs, stories.validation.targets, strict=True)
    held_out = {stories.decode(row[1 : int((t != IGNORE).sum())]) for row, t in rows}
    assert not told & held_out


def test_the_floor_is_the_entropy_of_a_story_over_its_tokens(stories):
    per_story = stories.validation.n_scored / 40
    nats = stories.floor * (EVERYDAY_FLOOR.words_per_story + 1 if stories.kind == "words"
                            else per_story)  # fmt: skip
    assert nats == pytest.approx(EVERYDAY_FLOOR.nats_per_story)


def test_bytes_per_token(stories):
    rows = zip(stories.validation.inputs, stories.validation.targets, strict=True)
    texts = [(stories.decode(row[1:n]), n - 1) for row, t in rows
             for n in [int((t != IGNORE).sum())]]  # fmt: skip
    n_bytes, n_tokens = sum(len(text) for text, _ in texts), sum(n for _, n in texts)
    assert stories.bytes_per_token == pytest.approx(n_bytes / n_tokens)


def test_the_boundary_can_be_read(stories):
    ids = [stories.boundary_id, *stories.train.inputs[0][1:5].tolist(), stories.boundary_id]
    assert stories.decode(torch.tensor(ids)).count(BOUNDARY) >= 1


@pytest.mark.parametrize(
    ("call", "message"),
    [(lambda: corpus_ids(CORPUS, "words"), "kind must be bytes or bpe for a real text"),
     (lambda: story_ids("letters", 5, 5), "kind must be one of"),
     (lambda: story_ids("words", 0), "n_stories must be"),
     (lambda: corpus_ids(CORPUS, "bpe", 0), "n_merges must be")],
)  # fmt: skip
def test_bad_choices_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("unknown", [-1, 1000])
def test_an_id_that_is_no_word_is_named(unknown):
    words = story_ids("words", 2, 2)
    with pytest.raises(ValueError, match=rf"ids must lie in \[0, 169\), got {unknown}"):
        words.decode([0, unknown])
