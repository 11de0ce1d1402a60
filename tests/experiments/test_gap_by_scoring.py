import math

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.sampling import tell
from course_lib.experiments.gap_by_scoring import (
    both_answers,
    fill_gap,
    fill_gaps,
    mean_surprises,
    text_log_probs,
)
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.tokenizers.words import WordTokenizer


@pytest.fixture(scope="module")
def gpt():
    """An untrained GPT of the stories' words, small enough to score every word."""
    words = (*everyday_stories().vocabulary, "<|story|>")
    torch.manual_seed(3)
    shape = GPTConfig(len(words), 96, d_model=8, n_layers=1, n_heads=2, init_std=0.5)
    return Shipped("test", GPT(shape).eval(), WordTokenizer(words), len(words) - 1)


def test_scores_are_bayes_rule(gpt):
    """The words before the gap cancel; what is left are the word's own chance and those behind."""
    words = tell(1, seed=4)[0].words[:9]
    left, scored = both_answers(gpt, words, 5)
    ids = gpt.prompt(" ".join(words))
    joint = []
    for word in range(20):
        text = torch.cat([ids, torch.tensor([[gpt.boundary_id]])], dim=1)
        text[0, 6] = word
        log_p = gpt.model(text).log_softmax(-1)[0]
        joint.append(sum(log_p[i, text[0, i + 1]].item() for i in range(5, 10)))
    names = gpt.tokenizer.words
    got = [math.log(scored[names[word]]) for word in range(20)]
    assert torch.allclose(torch.tensor(got).diff(), torch.tensor(joint).diff(), atol=1e-3)
    assert sum(scored.values()) == pytest.approx(1)
    assert sum(left.values()) == pytest.approx(1, abs=1e-5)


def test_the_left_answer_is_the_model_s_own(gpt):
    words = tell(1, seed=4)[0].words[:9]
    left, _ = both_answers(gpt, words, 5)
    wanted = gpt.model(gpt.prompt(" ".join(words)))[0, 5].softmax(-1)
    assert list(left.values()) == pytest.approx(wanted.tolist(), abs=1e-6)


def test_at_the_last_word_only_the_end_is_behind(gpt):
    texts = torch.tensor([[3, 4, 5], [3, 4, 6]])
    log_p = gpt.model(texts).log_softmax(-1)
    wanted = log_p[:, 0, 4] + torch.stack([log_p[0, 1, 5], log_p[1, 1, 6]])
    assert torch.allclose(text_log_probs(gpt.model, texts), wanted)


def test_perfect_readers_stand_beside(gpt):
    words = tell(1, seed=5)[0].words
    gap = fill_gap(gpt, words, 3)
    surprises = gap.surprises()
    assert surprises["perfect"] <= surprises["perfect_left"] + 1e-9
    assert set(surprises) == {"left", "scored", "perfect_left", "perfect"}
    assert sum(gap.perfect.values()) == pytest.approx(1)


def test_gaps_are_drawn_from_new_stories(gpt):
    gaps = fill_gaps(gpt, 2)
    assert len(gaps) == 2 and all(1 <= gap.place < len(gap.words) for gap in gaps)
    means = mean_surprises(gaps)
    assert means["left"] == pytest.approx(sum(g.surprises()["left"] for g in gaps) / 2)


def test_bad_input_is_named(gpt):
    words = tell(1, seed=5)[0].words
    with pytest.raises(ValueError, match=f"place must be below the {len(words)} words"):
        fill_gap(gpt, words, len(words))
