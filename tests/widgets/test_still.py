from unittest.mock import patch

import pytest

from course_lib.widgets import dot_product_by_hand, explore, mask_painter, still


def draw(fig, data):
    (line,) = fig.subplots().plot([0, data])
    return lambda data: (line.set_ydata([0, data]), [line])[1]


def shown(thing):
    """The outputs that a cell gets whose last line is `thing`, as (mime types, plain text)."""
    outputs = []

    def keep(given, metadata=None, raw=False):
        data = given if raw else given._repr_mimebundle_()
        outputs.append((set(data), data["text/plain"]))

    with patch.object(still, "display", keep):
        thing._ipython_display_()
    return outputs


@pytest.mark.parametrize(
    "thing",
    [
        explore(lambda a: a, draw, lambda a: f"The slope is {a}.", a=(0, 3, 1, 2)),
        dot_product_by_hand(),
        mask_painter(),
    ],
    ids=["explore", "by hand", "mask painter"],
)
def test_the_sentence_is_an_output_of_its_own_behind_the_picture(thing):
    (first, text), (second, sentence) = shown(thing)
    assert "image/png" in first
    assert "image/png" not in second and text == sentence == repr(thing)


def test_where_widgets_run_the_second_output_is_invisible():
    output = still.StillSentence("Anything.")
    assert output._nothing.layout.display == "none" and output._nothing.value == ""
    assert "application/vnd.jupyter.widget-view+json" in output._repr_mimebundle_()
