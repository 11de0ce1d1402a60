import ipywidgets
import pytest

from course_lib.widgets.controls import check_value, choice, control, make_control, text_box


def test_whole_numbers_make_a_whole_slider_and_others_a_float_slider():
    whole, real = control(1, 9, 2, 3), control(0, 1, 0.05, 0.5, "temperature", "T")
    assert isinstance(whole, ipywidgets.IntSlider) and whole.step == 2
    assert isinstance(real, ipywidgets.FloatSlider) and real.description == "temperature (T)"


@pytest.mark.parametrize(
    ("step", "readout"), [(1.0, ".0f"), (0.5, ".1f"), (0.1, ".1f"), (0.05, ".2f"), (0.25, ".2f")]
)
def test_the_readout_shows_every_digit_of_a_step(step, readout):
    assert control(0.0, 3.0, step, 1.0).readout_format == readout


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((2, 1, 1, 1), "a slider needs lo < hi, got lo = 2, hi = 1"),
        ((0, 1, 0, 1), "step must be > 0, got 0"),
        ((0, 1, 0.1, 5), "value must be between 0 and 1, got 5"),
        ((0, 1, 0.1, float("nan")), "value must be a finite number, got nan"),
    ],
)
def test_a_slider_that_makes_no_sense_is_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        control(*numbers)


def test_numbers_make_a_slider_and_words_a_menu():
    assert isinstance(choice([1, 2, 4], 2), ipywidgets.SelectionSlider)
    assert isinstance(choice(["a", "b"], "b"), ipywidgets.Dropdown)
    assert choice({"one": 1, "two": 2}, 2).value == 2
    with pytest.raises(ValueError, match=r"value must be one of \[1, 2\], got 3"):
        choice([1, 2], 3)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ((0, 5, 1, 2), ipywidgets.IntSlider),
        (True, ipywidgets.Checkbox),
        ([1, 2, 3], ipywidgets.SelectionSlider),
        ({"a": 1}, ipywidgets.Dropdown),
        (ipywidgets.FloatLogSlider(), ipywidgets.FloatLogSlider),
    ],
)
def test_each_form_gets_its_widget_and_the_name_as_label(given, kind):
    widget = make_control("depth", given)
    assert isinstance(widget, kind) and widget.description == "depth"


@pytest.mark.parametrize("given", [(1, 2), "text", None, [], 3])
def test_other_forms_are_refused_by_name(given):
    with pytest.raises(ValueError, match="depth must be"):
        make_control("depth", given)


LOG = ipywidgets.FloatLogSlider(min=-1, max=2, value=1)


@pytest.mark.parametrize(
    ("widget", "good", "bad"),
    [
        (control(0, 9, 1, 3), [0, 9, 4], [-1, 10, 2.5, "3", None, True, float("nan")]),
        (control(0.1, 2.0, 0.1, 1.0), [0.1, 2.0, 1], [0.0, 2.1, float("inf"), "1"]),
        (choice([1, 2, 4], 2), [1, 4], [3, "1"]),
        (make_control("b", True), [True, False], [1, 0, "yes"]),
        (LOG, [0.1, 100], [0.05, 101]),
    ],
)
def test_a_value_that_the_control_cannot_hold_is_refused_with_its_name(widget, good, bad):
    before = widget.value
    for value in good:
        check_value("depth", widget, value)
    for value in bad:
        with pytest.raises(ValueError, match="depth must be .* got "):
            check_value("depth", widget, value)
    assert widget.value == before


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (("0", 5, 1, 2), TypeError, "lo must be a number, got '0'"),
        ((0, float("inf"), 1, 2), ValueError, "hi must be a finite number, got inf"),
        ([1.0, float("nan")], ValueError, "options must not hold NaN"),
    ],
)
def test_ends_that_are_no_numbers_are_named(given, error, message, as_shipped):
    make = control if isinstance(given, tuple) else choice
    given = given if isinstance(given, tuple) else (given, 1.0)
    with pytest.raises(error, match=message):
        as_shipped(make)(*given)


def test_a_text_box_holds_text_and_waits_for_enter(as_shipped):
    box = make_control("story", text_box("Mia ate ."))
    assert (box.value, box.description, box.continuous_update) == ("Mia ate .", "story", False)
    assert make_control("story", text_box("", label="your story")).description == "your story"
    with pytest.raises(TypeError, match="value must be text, got 3"):
        as_shipped(text_box)(3)
