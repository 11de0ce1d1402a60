import math

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import next_words, surprises
from course_lib.data.stories.sampling import tell
from course_lib.data.training_text import story_ids
from course_lib.experiments.word_by_word import word_by_word
from course_lib.models.gpt import GPT

STORY = tell(1, seed=3)[0].words


@pytest.fixture(scope="module")
def text():
    return story_ids("words", 6, 3)


@pytest.fixture(scope="module")
def model(text):
    torch.manual_seed(0)
    return GPT(GPTConfig(text.vocab_size, 96, d_model=12, n_layers=1, n_heads=3, init_std=0.4))


def test_the_grammar_alone():
    data = word_by_word(STORY, 3)
    exact = next_words(everyday_stories(), STORY[:3])
    assert data.n_possible == len(exact) > len(data.choices)
    assert data.model is None and data.floor == surprises(everyday_stories(), STORY)
    ranked = sorted(exact.values(), reverse=True)[: len(data.choices)]
    assert [p for _, p, _ in data.choices] == ranked
    assert all(exact[word] == p and q is None for word, p, q in data.choices)


def test_a_model_is_asked_behind_the_boundary_and_the_words_so_far(text, model):
    at = 4
    data = word_by_word(STORY, at, model, text)
    words = [text.decode([i]) for i in range(text.vocab_size)]
    ids = [text.boundary_id, *(words.index(word) for word in STORY[:at])]
    p = model(torch.tensor([ids]))[0, -1].softmax(-1).detach()
    assert data.model[at] == pytest.approx(-math.log(p[words.index(STORY[at])]), rel=1e-4)
    for word, exact, guess in data.choices:
        assert guess == pytest.approx(p[words.index(word)].item(), rel=1e-4)
        assert exact == next_words(everyday_stories(), STORY[:at]).get(word, 0.0)


def test_the_words_shown_are_the_likeliest_of_either(text, model):
    data = word_by_word(STORY, 5, model, text)
    largest = [max(p, q) for _, p, q in data.choices]
    assert largest == sorted(largest, reverse=True) and len(largest) == 8


def test_the_last_word_can_be_asked_for(text, model):
    assert word_by_word(STORY, len(STORY) - 1, model, text).at == len(STORY) - 1


@pytest.mark.usefixtures("as_shipped")
def test_what_cannot_be_read(text, model):
    with pytest.raises(ValueError, match=f"at must be below the number of words {len(STORY)}"):
        word_by_word(STORY, len(STORY))
    with pytest.raises(ValueError, match="at must be a whole number >= 0, got -1"):
        word_by_word(STORY, -1)
    with pytest.raises(ValueError, match="words must be a possible story, got 'zebra' as word 2"):
        word_by_word([*STORY[:2], "zebra"], 1)
    with pytest.raises(TypeError, match="split it"):
        word_by_word(" ".join(STORY), 1)
    with pytest.raises(ValueError, match="text must have 'words' for ids, got None"):
        word_by_word(STORY, 1, model)
    with pytest.raises(ValueError, match="text must have 'words' for ids, got 'bytes'"):
        word_by_word(STORY, 1, model, story_ids("bytes", 2, 2))
