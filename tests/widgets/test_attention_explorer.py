import base64
import re

import numpy as np
import pytest
import torch

from course_lib.experiments.explored import Explored
from course_lib.widgets import attention_explorer

LAYERS, HEADS = 2, 3


def read(text):
    """Made-up shares: query i reads key (i + head) with half, the first key with the rest."""
    tokens = text.split()
    n = len(tokens)
    if not 1 < n < 7:
        raise ValueError(f"text must have 2 to 6 words, got {n}")
    attention = torch.zeros(LAYERS, HEADS, n, n)
    for layer in range(LAYERS):
        for head in range(HEADS):
            for i in range(n):
                attention[layer, head, i, (i + head + layer) % n] += 0.5
                attention[layer, head, i, 0] += 0.5
    return Explored(tuple(tokens), attention, torch.full_like(attention, 1 / n))


def explorer(**changes):
    return attention_explorer(read, "a b c d", **changes)


def test_it_says_what_the_chosen_token_reads():
    shown = explorer(layer=1, head=1, query=1)
    assert repr(shown) == "Layer 2, head 2: “b” reads “a” 50%, “d” 50%, “b” 0%."
    shown.query = 2
    assert repr(shown).startswith("Layer 2, head 2: “c” reads “a” 100%")
    shown.written = True
    assert repr(shown) == "Layer 2, head 2: “c” is written from “a” 25%, “b” 25%, “c” 25%."


def test_the_mean_is_over_the_heads_of_the_layer():
    shown = explorer(layer=0, head=-1, query=1)
    wanted = read("a b c d").attention[0].mean(dim=0)
    assert np.allclose(shown.data.shares, wanted, atol=0.5 / 255)
    assert repr(shown).startswith("Layer 1, mean of all heads: “b” reads “a” 50%")


@pytest.mark.parametrize("written", [False, True])
def test_every_share_is_sent(written):
    shown, given = explorer(written=written), read("a b c d")
    for layer in range(LAYERS):
        for head in range(HEADS):
            shown.layer, shown.head = layer, head
            wanted = (given.written if written else given.attention)[layer, head]
            assert np.allclose(shown.data.shares, wanted, atol=0.5 / 255 + 1e-7)


def test_another_text_is_read_and_the_query_stays_inside():
    shown = explorer(query=3)
    shown.text = "one two"
    assert (shown.tokens, shown.shape, shown.query) == (["one", "two"], [2, 3, 2], 1)
    assert "“two”" in repr(shown) and shown.problem == ""


def test_a_text_that_cannot_be_read_says_why_and_the_old_one_stays():
    shown = explorer()
    shown.text = "one"
    assert shown.problem == "text must have 2 to 6 words, got 1"
    assert shown.tokens == list("abcd")
    shown.text = "e f g"
    assert shown.problem == "" and shown.tokens == list("efg")
    assert shown.answered == 2


def test_the_bundle_shows_it_as_it_is_now():
    shown = explorer()
    before, _ = shown._repr_mimebundle_()
    shown.layer = 1
    after, metadata = shown._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in after
    assert base64.b64decode(after["image/png"]).startswith(b"\x89PNG")
    assert before["image/png"] != after["image/png"]
    assert after["text/plain"] == repr(shown) == metadata["image/png"]["alt"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("layer", 2, "layer must lie between 0 and 1, got 2"),
        ("layer", -1, "layer must lie between 0 and 1, got -1"),
        ("head", 3, "head must lie between -1 and 2, got 3"),
        ("head", -2, "head must lie between -1 and 2, got -2"),
        ("query", 4, "query must lie between 0 and 3, got 4"),
        ("query", -1, "query must lie between 0 and 3, got -1"),
    ],
)
def test_places_outside_are_refused(name, value, message):
    shown = explorer()
    before = getattr(shown, name)
    with pytest.raises(ValueError, match=message):
        setattr(shown, name, value)
    assert getattr(shown, name) == before


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"layer": 2}, ValueError, "layer must lie between 0 and 1, got 2"),
        ({"head": 3}, ValueError, "head must lie between -1 and 2, got 3"),
        ({"query": 9}, ValueError, "query must lie between 0 and 3, got 9"),
        ({"layer": 0.5}, TypeError, "layer must be a whole number"),
        ({"text": "one"}, ValueError, "2 to 6 words"),
        ({"text": 3}, TypeError, "text must be str, got int"),
    ],
)
def test_a_start_that_does_not_fit(arguments, kind, message, as_shipped):
    with pytest.raises(kind, match=message):
        as_shipped(attention_explorer)(read, **{"text": "a b c d", **arguments})


def test_nothing_comes_from_a_network():
    shown = explorer()
    for text in (str(shown._esm), str(shown._css)):
        assert "import " not in text and "url(" not in text
        assert not re.search(r"//(?! )", text.replace("http://www.w3.org/2000/svg", ""))
