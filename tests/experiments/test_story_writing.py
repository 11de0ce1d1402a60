import math

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.sampling import tell
from course_lib.data.training_text import corpus_ids, story_ids
from course_lib.experiments.story_writing import (
    left_by_kind,
    loss_by_kind,
    marked,
    share_possible,
    write_stories,
)
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.gpt import GPT


@pytest.fixture(scope="module")
def text():
    return story_ids("words", n_stories=20, n_held_out=30)


@pytest.fixture
def model(text):
    torch.manual_seed(0)
    return GPT(GPTConfig(text.vocab_size, 90, d_model=16, n_layers=1, n_heads=2)).eval()


def test_stories_are_written_to_their_end(text, model):
    stories = write_stories(model, text, 3, torch.Generator().manual_seed(0))
    assert len(stories) == 3
    words = set(text.decode(range(text.vocab_size - 1)).split())
    assert all(set(story) <= words for story in stories)
    with torch.no_grad():  # a model that says the end at once
        model.lm_head.weight.zero_()
        model.final_norm.weight.zero_()
        model.final_norm.bias.fill_(1.0)
        model.lm_head.weight[text.boundary_id] = 10.0
    assert write_stories(model, text, 2, torch.Generator().manual_seed(0)) == [[], []]


def test_told_stories_are_possible_and_others_not():
    told = [list(story.words) for story in tell(4, seed=3)]
    assert share_possible(told) == 1
    assert share_possible([told[0], told[1][::-1]]) == 0.5
    assert share_possible([told[0][:-1]]) == 0  # it breaks off


def test_the_first_impossible_word_is_marked():
    words = list(tell(1, seed=3)[0].words)
    assert marked(words) == " ".join(words)
    assert marked([*words[:5], "goose", *words[6:]]).split()[5] == ">>goose<<"
    assert marked(words[:-1]).endswith(">>breaks off<<")


def test_the_loss_by_kind_is_the_loss(text, model):
    found = loss_by_kind(model, text, 30)
    inputs, targets = text.validation.spread(30)
    with torch.no_grad():
        whole = cross_entropy(model(inputs), targets).item()
    assert all(loss == pytest.approx(whole, abs=0.6) for loss, _ in found.values())
    assert {kind: floor for kind, (_, floor) in found.items()} == {
        kind: EVERYDAY_FLOOR.of(kind) for kind in found
    }
    assert "closed word" in found
    assert "first mention" in found


def test_what_is_left_adds_up_to_the_distance_of_a_story():
    floors = {kind: (EVERYDAY_FLOOR.of(kind), EVERYDAY_FLOOR.of(kind))
              for kind in EVERYDAY_FLOOR.nats}  # fmt: skip
    assert sum(left_by_kind(floors).values()) == 0
    worse = {kind: (loss + 0.5, floor) for kind, (loss, floor) in floors.items()}
    left = left_by_kind(worse)
    assert left["place"] == pytest.approx(0.5 * EVERYDAY_FLOOR.words["place"])
    assert sum(left.values()) == pytest.approx(0.5 * EVERYDAY_FLOOR.words_per_story)


def test_a_model_that_knows_one_kind_shows_it(text, model):
    with torch.no_grad():  # it always expects the full stop, a closed word
        model.final_norm.weight.zero_()
        model.final_norm.bias.fill_(1.0)
        model.lm_head.weight.zero_()
        stop = text.decode(range(text.vocab_size - 1)).split().index(".")
        model.lm_head.weight[stop] = 0.2
    found = loss_by_kind(model, text, 10)
    score = 0.2 * 16
    elsewhere = math.log(math.exp(score) + text.vocab_size - 1)
    assert found["first mention"][0] == pytest.approx(elsewhere, rel=1e-4)
    assert found["closed word"][0] < elsewhere


def test_texts_of_another_kind_are_named(text, model):
    with pytest.raises(ValueError, match="text must have 'words' for ids, got 'bytes'"):
        loss_by_kind(model, story_ids("bytes", 3, 3))
    from course_lib.data.corpora.two_parts import Corpus

    real = corpus_ids(Corpus("a", "b", "c", b"abc" * 50, b"abc" * 9))
    with pytest.raises(ValueError, match="text must be stories, one a row, got 'a'"):
        write_stories(model, real, 1, torch.Generator())
    with pytest.raises(ValueError, match="stories must not be empty"):
        share_possible([])
