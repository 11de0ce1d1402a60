"""The encoder of lesson 64: the published one, or our own."""

import pytest
import torch
from optional_packages import needs

from course_lib import packaged
from course_lib.experiments import encoders
from course_lib.experiments.explored import MOST_TOKENS, explorer_of, strongest_head, word_reads
from course_lib.experiments.inside import look_inside
from course_lib.models.shipped import load

SENTENCE = "The king went up to the city."


@needs("minilm")
def test_with_the_extra_it_is_minilm():
    encoder = encoders.published_or_own()
    assert encoder.is_published and encoder.model.config.d_model == 384
    ids = encoder.read(SENTENCE)
    assert encoder.tokens(ids) == (
        "[CLS]", "the", "king", "went", "up", "to", "the", "city", ".", "[SEP]")  # fmt: skip


def test_without_it_it_is_ours(monkeypatch):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    encoder = encoders.published_or_own()
    assert not encoder.is_published and encoder.name.startswith("bible-bert")
    ids = encoder.read(SENTENCE)
    assert encoder.tokens(ids)[:3] == ("[CLS]", "the", "king")
    assert look_inside(encoder.model, ids).hidden.isfinite().all()


def test_what_is_explored_is_the_model_s_attention():
    encoder = encoders.own_encoder()
    explored = explorer_of(encoder)(SENTENCE)
    inside = look_inside(encoder.model, encoder.read(SENTENCE))
    assert torch.equal(explored.attention, inside.probs)
    assert torch.equal(explored.written, inside.written)
    assert len(explored.tokens) == explored.attention.shape[-1]


def test_a_shipped_gpt_can_be_explored_too():
    explored = explorer_of(load("bible-gpt"))("The king went")
    assert explored.attention.triu(1).abs().max() == 0
    assert len(explored.tokens) == explored.attention.shape[-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "at least one word"), ("city " * MOST_TOKENS, f"at most {MOST_TOKENS - 2} tokens")],
)
def test_texts_that_do_not_fit(text, message):
    with pytest.raises(ValueError, match=message):
        explorer_of(encoders.own_encoder())(text)
    if text:
        with pytest.raises(ValueError, match=f"at most {MOST_TOKENS} tokens"):
            explorer_of(load("bible-gpt"))(text)


def test_what_one_word_gives_to_another_and_where_most():
    encoder = encoders.own_encoder()
    text = "the king went to the king of the city"
    shares = word_reads(encoder, text, "king", "king")
    ids = encoder.read(text)
    first, last = (i for i, token in enumerate(encoder.tokens(ids)) if token == "king")
    probs = look_inside(encoder.model, ids).probs
    assert torch.equal(shares, probs[:, :, last, first])
    with pytest.raises(ValueError, match=r"text must hold the token 'xyz', got \[CLS\] the king"):
        word_reads(encoder, text, "king", "xyz")
    assert strongest_head(torch.tensor([[0.1, 0.2], [0.9, 0.3]])) == "layer 2, head 1: 90%"
