import pytest

from course_lib.widgets import predict
from course_lib.widgets.predict import Prediction, Revealed


@pytest.fixture
def guess():
    return predict("Does it <grow>?", ["it grows", "it stays"])


def test_nothing_is_chosen_at_first(guess):
    assert guess.choice is None
    assert repr(guess) == "Predict. Does it <grow>?\n  ( ) it grows\n  ( ) it stays"


def test_the_choice_can_be_changed_until_it_is_revealed(guess):
    guess.choose("it grows")
    guess.choose("it stays")
    assert guess.choice == "it stays" and "(x) it stays" in repr(guess)
    guess.reveal("it grows", because="Softmax.")
    assert guess._radio.disabled
    with pytest.raises(ValueError, match="the answer is revealed; the choice stays 'it stays'"):
        guess.choose("it grows")


def test_a_click_in_the_browser_is_a_choice(guess):
    guess._radio.index = 1  # what a front end sends
    assert guess.choice == "it stays"


def test_reveal_shows_both_and_grades_nothing(guess):
    guess.choose("it grows")
    text = repr(guess.reveal("it stays", because="Softmax sees differences."))
    assert text == "You predicted: it grows\nMeasured: it stays\nBecause: Softmax sees differences."
    assert not any(word in text.lower() for word in ("right", "wrong", "correct", "false"))


def test_who_runs_all_cells_first_can_still_choose(guess):
    revealed = guess.reveal("it stays", because="Softmax.")
    assert repr(revealed).startswith("You predicted: no prediction\n")
    guess.choose("it grows")
    assert repr(revealed).startswith("You predicted: it grows\n")
    assert "it grows" in revealed._html.value


def test_the_choice_survives_when_later_cells_run_again(guess):
    guess.choose("it grows")
    for _ in range(3):
        revealed = guess.reveal("it stays", because="Softmax.")
    assert guess.choice == "it grows" and repr(revealed).startswith("You predicted: it grows")


def test_two_predictions_are_independent():
    one, two = predict("1?", ["a", "b"]), predict("2?", ["a", "b"])
    one.choose("a")
    one.reveal("b", because="so")
    two.choose("b")
    assert (one.choice, two.choice) == ("a", "b")


def test_text_is_not_markup(guess):
    assert "Does it &lt;grow&gt;?" in guess.box.children[0].value
    revealed = guess.reveal("<b>", because="a < b")
    assert "&lt;b&gt;" in revealed._html.value and "a &lt; b" in revealed._html.value


def test_the_bundles_have_a_text_fallback(guess):
    revealed = guess.reveal("it stays", because="Softmax.")
    for shown in (guess, revealed):
        data = shown._repr_mimebundle_()
        assert data["text/plain"] == repr(shown)
        assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("options", [[], ["one"], ["same", "same"]])
def test_options_must_differ(options):
    with pytest.raises(ValueError, match="two or more different answers"):
        predict("?", options)


def test_only_an_option_can_be_chosen(guess):
    with pytest.raises(ValueError, match="option must be one of .* got 'maybe'"):
        guess.choose("maybe")
    assert guess.choice is None


@pytest.mark.parametrize("options", ["yes", None, 3, [1, 2], ["a", None], ["a", ""]])
def test_options_that_are_no_list_of_texts_are_named(options, as_shipped):
    with pytest.raises(TypeError, match="options"):
        as_shipped(Prediction.__init__)(Prediction("Which?", ["a", "b"]), "Which?", options)


@pytest.mark.parametrize(
    ("answer", "because", "name"), [(3, "x", "answer"), ("x", None, "because")]
)
def test_an_answer_that_is_no_text_is_named(answer, because, name, as_shipped):
    one = Prediction("Which?", ["a", "b"])
    with pytest.raises(TypeError, match=f"{name} must be text"):
        as_shipped(Revealed.__init__)(Revealed(one, "a", "b"), one, answer, because)
