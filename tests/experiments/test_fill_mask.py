"""A gap is asked for at its own place, and both readers answer with probabilities."""

from functools import cache

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.stories.masked import MASK
from course_lib.data.story_pairs import encode_words, story_tokenizer
from course_lib.experiments.fill_mask import (
    BLANK,
    fill_mask,
    first_part,
    model_answers,
    perfect_answer,
)
from course_lib.experiments.hidden_words import by_kind
from course_lib.models.bert import BertPretraining

STORY = (
    "one windy day Kate and Hugo were in the garden . Kate found a red map . she gave the map to "
    "Hugo . she felt annoyed because Hugo had the red map . in the end Hugo had the red map ."
)


@cache
def tiny_bert():
    torch.manual_seed(0)
    vocab_size = len(story_tokenizer().vocabulary)
    return BertPretraining(BertConfig(vocab_size, 96, 16, n_layers=2, n_heads=2, init_std=0.3))


@pytest.mark.parametrize("place", [1, 10, 11, 17, 18, 43])
def test_the_model_is_asked_at_the_place_of_the_gap(place):
    words = STORY.split()
    seen = [*words[: place - 1], MASK, *words[place:]]
    cut = [i for i, word in enumerate(words) if word == "."][1] + 1
    encoded = encode_words(seen[:cut], seen[cut:])
    (position,) = (i for i, token in enumerate(encoded.token_ids) if token == 4)
    assert story_tokenizer().vocabulary.tokens[4] == MASK
    with torch.no_grad():
        logits = tiny_bert().eval()(
            torch.tensor([encoded.token_ids]), None, torch.tensor([encoded.segment_ids])
        )
    found = fill_mask(tiny_bert(), STORY, place)
    expected = logits.tokens[0, position].softmax(-1)
    torch.testing.assert_close(torch.tensor(list(found.model.values())), expected)
    assert found.said == words[place - 1] and found.seen == tuple(seen)


def test_many_gaps_at_once_are_those_one_by_one():
    words = STORY.split()
    asked = [((*words[:i], MASK, *words[i + 1 :]), i, 17) for i in range(len(words))]
    asked += [(("Kate", MASK, "a", "map", "."), 1, 5)] * 20
    together = model_answers(tiny_bert(), asked)
    for i in (0, 20, 42, 60):
        torch.testing.assert_close(
            together[i : i + 1], model_answers(tiny_bert(), asked[i : i + 1])
        )


def test_the_perfect_reader_remembers_what_is_told_again():
    assert fill_mask(tiny_bert(), STORY, 4).perfect == pytest.approx({"Kate": 1.0})
    weather = fill_mask(tiny_bert(), STORY, 2).perfect
    assert len(weather) == 8 and weather["windy"] == pytest.approx(1 / 8)


def test_blanks_hide_and_places_beyond_the_end_are_the_last():
    found = fill_mask(tiny_bert(), STORY.replace("Hugo", BLANK, 1), 60)
    assert found.place == 42 and found.said == "." and found.seen[5] == MASK
    assert fill_mask(tiny_bert(), STORY.replace("windy", BLANK), 2).said == ""


def test_what_cannot_be_told_has_no_perfect_answer():
    assert perfect_answer(["Kate", MASK, "."], 1) is None
    wrong = STORY.replace("Hugo had the red map . in", "Hugo had the blue map . in")
    assert fill_mask(tiny_bert(), wrong, 22).perfect is None


def test_a_piece_of_a_word_may_stand_in_a_text():
    piece = next(t for t in story_tokenizer().vocabulary.tokens if t.startswith("##"))
    found = fill_mask(tiny_bert(), STORY.replace("windy", piece), 4)
    assert found.seen[1] == piece and found.perfect is None and found.said == "Kate"
    with pytest.raises(ValueError, match=r"the 168 words of the stories.*got '\[SEP\]'"):
        fill_mask(tiny_bert(), STORY.replace("windy", "[SEP]"), 4)


def test_the_first_part_is_two_sentences_if_there_are_more():
    assert first_part("a . b . c .".split()) == 4
    assert first_part("a . b .".split()) == 4 and first_part("a b".split()) == 2


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [("", 1, "text must hold at least one word"), ("Kate met Hugo .", 1, "got 'met'"),
     (STORY, 0, "place must be a whole number >= 1")],
)  # fmt: skip
def test_bad_input(text, place, message):
    with pytest.raises(ValueError, match=message):
        fill_mask(tiny_bert(), text, place)


def test_answers_count_by_the_chance_that_they_are_right():
    model = tiny_bert()
    full_stop = story_tokenizer().vocabulary.id_of(".")
    bias = model.mlm_head.decoder.bias
    before = bias.detach().clone()
    with torch.no_grad():
        bias[full_stop] = 1e3  # it says "." in every gap
    try:
        kinds = {each.kind: each for each in by_kind(model, n_stories=2, seed=5)}
    finally:
        with torch.no_grad():
            bias.copy_(before)
    assert 0.05 < kinds["closed word"].model < 0.5
    assert kinds["name"].model == 0.0 and kinds["name"].perfect > 0.9
    assert all(each.model <= each.perfect + 1e-9 and each.n_words > 0 for each in kinds.values())
