import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.story_labels import ANSWER, NAMES, PAIR, SINGLE, STORY_TASKS, story_labels
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fine_tuning import (
    begin,
    fine_tune,
    held_out,
    labels_to_learn,
    measure,
    new_heads,
    settings,
    task_of,
    untrained,
    with_head,
)
from course_lib.experiments.four_heads import four_heads
from course_lib.experiments.label_race import LabelRace
from course_lib.models.fine_tuned import FineTuned
from course_lib.models.heads import SpanLogits

pytestmark = pytest.mark.usefixtures("unchecked")
CLAIM, QUESTION, SENTENCE = "Hugo had the map .", "where was Kate ?", "Kate ran ."
STORY = "one windy day Kate and Hugo were in the garden . in the end Hugo had the red map ."


@pytest.fixture(scope="module")
def encoder():
    n_ids = story_tokenizer().vocab_size
    return untrained(BertConfig(n_ids, 96, d_model=8, n_layers=1, n_heads=2, init_std=0.3), seed=4)


def same(one, other):
    here, there = one.state_dict(), other.state_dict()
    return all(torch.equal(here[name], there[name]) for name in here)


def test_a_new_head_follows_from_the_seed_and_leaves_the_global_draws_alone(encoder):
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    first, again, other = (with_head(encoder, PAIR, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.rand(3), wanted)
    assert same(first, again) and not same(first.head, other.head)
    assert same(first.encoder, encoder.bert)
    assert not same(untrained(encoder.config, 1), untrained(encoder.config, 2))


def test_the_few_are_among_the_many_and_none_is_held_out():
    for task in (PAIR, NAMES):
        few, many = labels_to_learn(task, 30), labels_to_learn(task, 60)
        assert few.examples == many.examples[:30]
        assert not set(many.examples) & set(held_out(task, 60).examples)


def test_frozen_trains_the_head_alone(encoder):
    train, config = story_labels(SINGLE, 12, 1), settings(1e-2, 3)
    before = with_head(encoder, SINGLE, config.seed)
    for frozen in (True, False):
        tuned = fine_tune(encoder, train, train, config, frozen=frozen)
        assert same(tuned.model.encoder, before.encoder) is frozen
        assert not same(tuned.model.head, before.head)
        assert len(tuned.records) == 3 and not tuned.model.training
    assert same(before.encoder, encoder.bert)  # the one that was given learns nothing


def test_the_rate_rises_and_falls_to_nothing(encoder):
    records = fine_tune(encoder, *[story_labels(SINGLE, 12, 1)] * 2, settings(1e-2, 20)).records
    rates = [record.lr for record in records]
    assert max(rates) == pytest.approx(1e-2) and rates.index(max(rates)) == 1
    assert rates[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("task", STORY_TASKS)
def test_the_score_is_the_measure_of_all_held_out_texts(encoder, task):
    labels = story_labels(task, 23, 2)
    tuned = fine_tune(encoder, labels, labels, settings(1e-3, 1))
    assert measure(tuned.model, labels) == tuned.measured
    assert tuned.measured[task_of(labels, labels).score] == tuned.score
    with pytest.raises(ValueError, match="measured_on must be of the task"):
        task_of(labels, story_labels(PAIR if task != PAIR else SINGLE, 23, 2))


def test_a_race_gives_each_the_same_batches(encoder):
    labels = story_labels(PAIR, 24, 1)
    race = LabelRace({"a": encoder, "b": encoder}, labels, labels, settings(1e-3, 3))
    steps = list(race)
    assert [step.step for step in steps] == [1, 2, 3]
    assert all(step.losses["a"] == step.losses["b"] for step in steps)
    alone = fine_tune(encoder, labels, labels, settings(1e-3, 3))
    assert [step.losses["a"] for step in steps] == [r.train_loss for r in alone.records]
    assert race.scores() == {"a": alone.score, "b": alone.score}
    assert set(race.models()) == {"a", "b"}


def test_an_interrupted_race_goes_on(encoder):
    labels = story_labels(PAIR, 24, 1)
    race = LabelRace({"a": encoder}, labels, labels, settings(1e-3, 4))
    taken = []
    for step in race:
        taken.append(step)
        if step.step == 2:
            break
    taken += race
    whole = LabelRace({"a": encoder}, labels, labels, settings(1e-3, 4))
    assert taken == list(whole)


def test_what_four_heads_say(encoder):
    said = four_heads(new_heads(encoder), STORY, CLAIM, QUESTION, SENTENCE)
    assert len(said.tags) == len(said.words) == len(STORY.split())
    start, stop = said.answer
    assert 0 <= start < stop <= len(said.words)
    assert sum(said.pair.values()) == pytest.approx(1, abs=1e-6) and len(said.pair) == 3
    assert sum(said.single.values()) == pytest.approx(1, abs=1e-6) and len(said.single) == 2


def test_the_answer_and_the_tags_stand_at_their_words(encoder):
    """Heads that look for one token each: their positions must come back as places of the story."""
    heads = new_heads(encoder)
    ids = story_tokenizer().vocabulary

    class Looks(FineTuned):
        """Finds one word."""

        def __init__(self, task, word):
            super().__init__(encoder, with_head(encoder, task).head)
            self.task, self.id = task, ids.id_of(word)

        def forward(self, token_ids, real=None, segment_ids=None):
            found = (token_ids == self.id).float() * 9
            if self.task == ANSWER:
                return SpanLogits(found, found)
            return torch.stack([1 - found, found, 0 * found, 0 * found], dim=-1)

    heads |= {ANSWER: Looks(ANSWER, "garden"), NAMES: Looks(NAMES, "Hugo")}
    said = four_heads(heads, STORY, CLAIM, QUESTION, SENTENCE)
    assert said.words[slice(*said.answer)] == ("garden",)
    assert [w for w, t in zip(said.words, said.tags, strict=True) if t == "person"] == ["Hugo"] * 2


def test_strange_words_are_named(encoder):
    heads = new_heads(encoder)
    texts = {"story": STORY, "claim": CLAIM, "question": QUESTION, "sentence": SENTENCE}
    for name in texts:
        with pytest.raises(ValueError, match=f"{name} must be made of the stories' words.*'xyzzy'"):
            four_heads(heads, **{**texts, name: "Hugo xyzzy ."})
        with pytest.raises(ValueError, match=f"{name} must hold at least one word"):
            four_heads(heads, **{**texts, name: " "})
    with pytest.raises(ValueError, match="story must fit into 96 tokens with all else, got 114"):
        four_heads(heads, **{**texts, "story": " ".join(["Hugo"] * 106)})


def test_a_frozen_start_has_nothing_else_to_train(encoder):
    state = begin(encoder, PAIR, settings(1e-3, 2), frozen=True)
    trained = [p for group in state.optimizer.param_groups for p in group["params"]]
    assert sum(p.numel() for p in trained) == sum(p.numel() for p in state.model.head.parameters())
