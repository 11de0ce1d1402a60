import base64

import ipywidgets
import pytest

from course_lib.widgets import control, explore
from course_lib.widgets.controls import text_box


@pytest.fixture
def explorer(line):
    return explore(*line, size=(4, 2), slope=(0, 5, 1, 2), shift=(0.0, 1.0, 0.1, 0.0))


def test_it_starts_with_a_picture_and_a_sentence(explorer, pixels):
    assert explorer.values == {"slope": 2, "shift": 0.0}
    assert explorer.data == {"y": [0, 2], "slope": 2}
    assert pixels(explorer.image.value).min() < 200
    assert explorer.sentence == repr(explorer) == "The slope is 2."


def test_set_and_a_moved_slider_do_the_same(explorer, line):
    other = explore(*line, size=(4, 2), slope=(0, 5, 1, 2), shift=(0.0, 1.0, 0.1, 0.0))
    assert explorer.set(slope=5) == {"y": [0, 5], "slope": 5}
    other.controls["slope"].value = 5  # what a front end does
    assert other.image.value == explorer.image.value
    assert other.sentence == explorer.sentence == "The slope is 5."


def test_every_value_has_its_own_picture_and_returns_to_it(explorer):
    seen = {slope: explorer.image.value for slope in (0, 1, 2, 3, 5) if explorer.set(slope=slope)}
    assert len(set(seen.values())) == 5
    explorer.set(slope=2)
    assert explorer.image.value == seen[2]


def test_several_values_make_one_picture(explorer):
    explorer.set(slope=3, shift=0.5)
    assert len(explorer.ms) == 1 and explorer.data["y"] == [0.5, 3.5]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slope": 9}, "slope must be a number from 0 to 5 without a fraction, got 9"),
        ({"shift": -0.1}, "shift must be a number from 0.0 to 1.0, got -0.1"),
        ({"depth": 1}, r"depth is no control of this figure: \['slope', 'shift'\]"),
        ({"slope": 3, "shift": 7}, "shift must be"),
    ],
)
def test_bad_values_are_refused_and_nothing_moves(explorer, values, message):
    with pytest.raises(ValueError, match=message):
        explorer.set(**values)
    assert explorer.values == {"slope": 2, "shift": 0.0} and explorer.ms == []


def test_the_rounding_of_a_front_end_is_taken_back(explorer):
    explorer.controls["shift"].value = 0.1 + 0.2
    assert explorer.values["shift"] == 0.3 and explorer.data["y"] == [0.3, 2.3]


def test_reset_by_call_and_by_button(explorer):
    picture = explorer.image.value
    explorer.set(slope=5, shift=1.0)
    explorer.reset()
    assert explorer.image.value == picture
    explorer.set(slope=5)
    (button,) = [w for w in explorer.box.children[0].children if isinstance(w, ipywidgets.Button)]
    button.click()
    assert explorer.values == {"slope": 2, "shift": 0.0} and explorer.image.value == picture


def test_an_error_while_moving_becomes_the_sentence(explorer):
    picture = explorer.image.value
    explorer.controls["slope"].value = 4
    assert explorer.sentence == (
        "No picture for slope = 4, shift = 0.0. ZeroDivisionError: slope 4 is broken on purpose."
        " The picture above is still the one before."
    )
    assert isinstance(explorer.error, ZeroDivisionError)
    assert explorer.image.value == picture and explorer.data["slope"] == 2
    explorer.controls["slope"].value = 3
    assert explorer.error is None and explorer.sentence == "The slope is 3."


def test_set_raises_the_error(explorer):
    with pytest.raises(ZeroDivisionError, match="broken on purpose"):
        explorer.set(slope=4)
    assert explorer.set(slope=3)["slope"] == 3


@pytest.mark.parametrize("broken", [1, 2])
def test_errors_of_draw_and_say_are_treated_alike(line, broken):
    functions = list(line)

    def failing_draw(fig, data):
        update = line[1](fig, data)
        return lambda data: update(data) if data["slope"] != 3 else 1 / 0

    def failing_say(data):
        return line[2](data) if data["slope"] != 3 else 1 / 0

    functions[broken] = [None, failing_draw, failing_say][broken]
    explorer = explore(*functions, slope=(0, 5, 1, 2))
    explorer.controls["slope"].value = 3
    assert "ZeroDivisionError" in explorer.sentence
    with pytest.raises(ZeroDivisionError):
        explorer.set(slope=3)


def test_an_error_at_the_start_is_raised(line):
    with pytest.raises(ZeroDivisionError):
        explore(*line, slope=(0, 5, 1, 4))


def test_the_bundle_is_widget_picture_and_sentence(explorer):
    data, metadata = explorer._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]) == explorer.image.value
    assert data["text/plain"] == "The slope is 2."
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == explorer.box.model_id
    assert metadata["image/png"] == {"alt": "The slope is 2.", "width": 400}
    explorer.set(slope=3)
    assert explorer._repr_mimebundle_()[0]["text/plain"] == "The slope is 3."


def test_the_sentence_is_text_and_not_markup(line):
    compute, draw, _ = line
    explorer = explore(compute, draw, lambda data: "a < b & <script>", slope=(0, 5, 1, 2))
    assert "a &lt; b &amp; &lt;script&gt;" in explorer._caption.value


def test_the_image_keeps_its_size_and_has_no_tooltip(explorer):
    assert (explorer.image.width, explorer.image.height) == ("400", "200")
    assert explorer.image.layout.max_width == "100%"
    assert explorer.image.tooltip is None  # ipywidgets 8.1.9 cannot show an Image with one


def test_following_while_dragging_can_be_turned_off(line):
    for follow in (True, False):
        made = explore(*line, continuous_update=follow, slope=control(0, 5, 1, 2))
        assert made.controls["slope"].continuous_update is follow


def test_a_text_is_taken_over_when_it_is_complete(line):
    compute, draw, say = line
    made = explore(lambda text: compute(slope=len(text)), draw, say, text=text_box("abc"))
    assert made.controls["text"].continuous_update is False
    assert made.data == compute(slope=3)
    assert made.set(text="abcde") == compute(slope=5) and made.reset() == compute(slope=3)


def test_the_number_of_controls_is_limited(line):
    with pytest.raises(ValueError, match="a figure takes 1 to 4 controls, got 0"):
        explore(*line)
    with pytest.raises(ValueError, match="got 5"):
        explore(*line, **{name: (0, 1, 1, 0) for name in "abcde"})


def test_two_explorers_do_not_know_of_each_other(line):
    one, two = (explore(*line, slope=(0, 5, 1, 2)) for _ in range(2))
    one.set(slope=5)
    assert two.values == {"slope": 2} and two.sentence == "The slope is 2."


def test_a_sentence_that_is_no_text_is_named(line):
    compute, draw, _ = line
    with pytest.raises(TypeError, match="say must return text, got None"):
        explore(compute, draw, lambda data: None, slope=(0, 5, 1, 2))
