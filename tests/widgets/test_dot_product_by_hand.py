import base64
import math

import pytest

from course_lib.widgets import dot_product_by_hand


def test_the_numbers_are_those_of_attention_written_out():
    widget = dot_product_by_hand(
        words=["cat", "dog"], keys=[(1, 0), (0, 2)], values=[(2, 0), (0, 1)], query=(2, 1)
    )
    scores = [2 / math.sqrt(2), 2 / math.sqrt(2)]
    assert widget.scores == pytest.approx(scores) and widget.weights == pytest.approx([0.5, 0.5])
    assert widget.output == pytest.approx([1.0, 0.5])
    widget.query = [2, 0]
    share = 1 / (1 + math.exp(-math.sqrt(2)))
    assert widget.weights == pytest.approx([share, 1 - share])
    assert widget.output == pytest.approx([2 * share, 1 - share])


def test_scaling_divides_by_the_root_of_two():
    scaled, plain = dot_product_by_hand(scaled=True), dot_product_by_hand(scaled=False)
    ratios = [p / s for p, s in zip(plain.scores, scaled.scores, strict=True)]
    assert ratios == pytest.approx([math.sqrt(2)] * 4)
    assert max(plain.weights) > max(scaled.weights)


def test_the_bundle_shows_the_query_as_it_is_now():
    widget = dot_product_by_hand()
    before, _ = widget._repr_mimebundle_()
    widget.query = [-2, 1]
    after, metadata = widget._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in after
    assert base64.b64decode(after["image/png"]).startswith(b"\x89PNG")
    assert before["image/png"] != after["image/png"]
    assert after["text/plain"] == repr(widget) == metadata["image/png"]["alt"]
    assert "The query (-2.00, 1.00) gives “money”" in after["text/plain"]


@pytest.mark.parametrize("query", [[1.0], [1.0, 2.0, 3.0], [4.0, 0.0], [float("nan"), 0.0]])
def test_a_query_outside_the_plane_is_refused(query):
    widget = dot_product_by_hand()
    before = widget.query
    with pytest.raises(ValueError, match="query must be two numbers from -3.0 to 3.0, got"):
        widget.query = query
    assert widget.query == before
    with pytest.raises(ValueError, match="query must be two numbers"):
        dot_product_by_hand(query=query)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"words": ["a"], "keys": [(0, 1)], "values": [(0, 1)]}, "2 to 6 words"),
        ({"words": ["a", "b"]}, "got 2 words, 4 keys, 4 values"),
        ({"keys": [(9, 0)] * 4}, "keys must be points within 3.0 of 0"),
        ({"values": [(1, 2, 3)] * 4}, "values must be points"),
    ],
)
def test_points_and_words_must_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        dot_product_by_hand(**arguments)


def test_nothing_comes_from_a_network():
    widget = dot_product_by_hand()
    for text in (widget._esm, widget._css):
        assert "import " not in str(text) and "url(" not in str(text)
        assert "//" not in str(text).replace("http://www.w3.org/2000/svg", "").replace("// ", "")


@pytest.mark.parametrize("name", ["keys", "values"])
def test_a_point_with_nan_is_named(name):
    with pytest.raises(ValueError, match=f"{name} must be points within 3.0 of 0"):
        dot_product_by_hand(**{name: [(0.0, float("nan"))] * 4})


def test_a_limit_that_leaves_no_room_is_named():
    with pytest.raises(ValueError, match="limit must be > 0, got -1.0"):
        dot_product_by_hand(limit=-1.0)
