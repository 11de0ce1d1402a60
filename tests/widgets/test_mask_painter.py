import base64
import math
import re

import pytest
import torch

from course_lib.experiments.fill_values import nan_rows
from course_lib.experiments.who_knows import WORDS, masks_for
from course_lib.widgets import mask_painter


def test_shares_are_a_softmax_over_what_may_be_read():
    painter = mask_painter(["a", "b", "c"], scores=[[1, 2, 3], [0, math.log(3), 9], [1, 1, 1]])
    assert painter.shares[0] == [1, 0, 0]
    assert painter.shares[1] == pytest.approx([0.25, 0.75, 0])
    painter.visible = [[True, False, True], [False, True, False], [True, True, True]]
    assert painter.shares[0] == pytest.approx([1 / (1 + math.e**2), 0, 1 / (1 + math.e**-2)])
    assert painter.shares[1:] == [[0, 1, 0], pytest.approx([1 / 3] * 3)]


def test_every_preset_is_a_mask_of_the_library():
    painter = mask_painter()
    for name, visible in masks_for(WORDS).items():
        assert painter.presets[name] == visible.tolist()


def test_levels_lead_from_the_words_to_the_chosen_token():
    painter = mask_painter(["a", "b", "c", "d"], mask="window", chosen=3, layers=2)
    assert painter.levels == [
        [False, True, True, True],
        [False, False, True, True],
        [False, False, False, True],
    ]
    assert "After 2 layers it can know 3 of 4: b, c, d." in repr(painter)
    painter.layers = 1
    assert "After 1 layer it can know 2 of 4: c, d." in repr(painter)


@pytest.mark.parametrize("empty", [0, 2])
def test_nan_is_where_it_is_in_a_stack_of_layers(empty):
    painter = mask_painter(["a", "b", "c", "d", "e"], mask="causal", layers=3, chosen=empty)
    painter.visible = [[on and i != empty for on in r] for i, r in enumerate(painter.visible)]
    measured = nan_rows(torch.tensor(painter.visible), -math.inf, 3).tolist()
    assert painter.nan == [[False] * 5, *measured]
    assert repr(painter).endswith(
        "may read nothing: its shares are NaN, for −∞ − (−∞) has no answer."
    )
    assert all(math.isnan(share) for share in painter.shares[empty])
    painter.chosen = 1
    assert "After 3 layers it is NaN, because a row of the mask is empty." in repr(painter)
    painter.layers = 1
    assert "After 1 layer it can know 2 of 5" in repr(painter)


def test_the_bundle_shows_the_mask_as_it_is_now():
    painter = mask_painter()
    before, _ = painter._repr_mimebundle_()
    painter.visible = painter.presets["none"]
    after, metadata = painter._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in after
    assert base64.b64decode(after["image/png"]).startswith(b"\x89PNG")
    assert before["image/png"] != after["image/png"]
    assert after["text/plain"] == repr(painter) == metadata["image/png"]["alt"]
    assert "it can know 7 of 7" in after["text/plain"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("visible", [[True] * 3] * 2, "visible must be 3 rows of 3 times True or False"),
        ("visible", [[True] * 2] * 3, "visible must be 3 rows of 3"),
        ("visible", [[1, 0, 0]] * 3, "visible must be 3 rows of 3"),
        ("chosen", 3, "chosen must lie between 0 and 2, got 3"),
        ("chosen", -1, "chosen must lie between 0 and 2, got -1"),
        ("layers", 0, "layers must lie between 1 and 4, got 0"),
        ("layers", 5, "layers must lie between 1 and 4, got 5"),
    ],
)
def test_what_cannot_be_drawn_is_refused(name, value, message):
    painter = mask_painter(["a", "b", "c"])
    before = getattr(painter, name)
    with pytest.raises(ValueError, match=message):
        setattr(painter, name, value)
    assert getattr(painter, name) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"words": ["a"]}, "words must be 2 to 8, got 1"),
        ({"words": list("abcdefghi")}, "words must be 2 to 8, got 9"),
        ({"mask": "future"}, "mask must be one of none, causal, .* got 'future'"),
        ({"chosen": 7}, "chosen must lie between 0 and 6, got 7"),
        ({"layers": 9}, "layers must lie between 1 and 4, got 9"),
        ({"words": ["a", "b"], "scores": [[1, 2, 3]] * 2}, "scores must be 2 rows of 2"),
        ({"words": ["a", "b"], "scores": [[1, math.nan]] * 2}, "must be a finite number, got nan"),
    ],
)
def test_words_scores_and_mask_must_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        mask_painter(**{"chosen": 1, **arguments})


def test_nothing_comes_from_a_network():
    painter = mask_painter()
    for text in (str(painter._esm), str(painter._css)):
        assert "import " not in text and "url(" not in text
        assert not re.search(r"//(?! )", text.replace("http://www.w3.org/2000/svg", ""))
