from types import SimpleNamespace

import pytest

from course_lib.plots import style, word_by_word

WORDS = ("Tom", "was", "in", "the", "den", ".")
ALONE = SimpleNamespace(
    words=WORDS, at=4, floor=(3.0, 0.5, -0.0, 0.0, 2.0, 0.0), model=None,
    choices=(("den", 0.7, None), ("yard", 0.299, None), ("hut", 0.001, None)), n_possible=3,
)  # fmt: skip
BOTH = SimpleNamespace(**{
    **vars(ALONE), "at": 1, "model": (3.5, 0.6, 9.0, 0.1, 2.5, 0.0),
    "choices": (("was", 0.6, 0.5), ("had", 0.4, 0.002), ("den", 0.0, 0.3)), "n_possible": 2,
})  # fmt: skip


def drawn(data):
    fig, _ = style.new_figure((9.5, 5), 100)
    update = word_by_word.draw(fig, data)
    return fig, update


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def test_the_grammar_alone():
    fig, _ = drawn(ALONE)
    costs, text, bars = fig.axes
    assert costs.get_xlabel() == "word of the story"
    assert costs.get_ylabel() == "surprise (nats)"
    heights = [bar.get_height() for bar in costs.patches]
    assert heights[:88] == [0.0] * 88  # no model
    assert heights[88:94] == list(ALONE.floor)
    assert texts(text) == ["Tom was in the ____"]
    assert texts(bars) == ["den  70%", "yard  30%", "and 1 more"]  # what rounds to 0 has no name
    assert [t.get_fontweight() for t in bars.texts[:2]] == ["bold", "normal"]


def test_a_model_beside_it_and_nothing_grows_out_of_the_figure():
    fig, _ = drawn(BOTH)
    costs, _, bars = fig.axes
    heights = [bar.get_height() for bar in costs.patches]
    assert heights[:6] == [3.5, 0.6, word_by_word.HIGHEST, 0.1, 2.5, 0.0]
    assert heights[88:94] == list(BOTH.floor)
    assert texts(bars) == ["was  60% | 50%", "had  40% | 0%", "den  0% | 30%"]
    assert bars.texts[2].get_position()[0] > 0.3  # behind the longer of its two bars


def test_another_word_and_another_story_leave_nothing_behind():
    fig, update = drawn(BOTH)
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in fig.axes]
    short = SimpleNamespace(**{**vars(BOTH), "words": WORDS[:2], "floor": (1.0, 2.0),
                               "model": (1.5, 2.5), "choices": (("was", 1.0, 0.9),),
                               "n_possible": 1})  # fmt: skip
    assert update(short) is not None
    costs, text, bars = fig.axes
    assert [bar.get_height() for bar in costs.patches][:3] == [1.5, 2.5, 0.0]
    assert texts(bars) == ["was  100% | 90%"]
    assert texts(text) == ["Tom ____"]
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in fig.axes] == limits


def test_words_are_counted_from_1_and_those_without_room_are_counted():
    fig, _ = drawn(SimpleNamespace(**{**vars(ALONE), "n_possible": 28}))
    costs, _, bars = fig.axes
    assert costs.patches[88].get_x() + costs.patches[88].get_width() / 2 == pytest.approx(1)
    assert list(costs.lines[0].get_xdata()) == [5]
    assert texts(bars)[-1] == "and 26 more"


def test_a_long_text_is_cut_at_the_front():
    words = ("elephant",) * 88
    fig, _ = drawn(SimpleNamespace(**{**vars(ALONE), "words": words, "at": 87,
                                      "floor": (0.1,) * 88}))  # fmt: skip
    (written,) = texts(fig.axes[1])
    assert written.startswith("... ") and written.endswith("____")
    assert written.count("\n") == 7


def test_the_sentence():
    assert word_by_word.say(ALONE) == (
        'Word 5 of 6: the grammar allows 3, and "den" comes: 2.00 nats.'
    )
    assert word_by_word.say(BOTH) == (
        'Word 2 of 6: the grammar allows 2, and "was" comes: 0.50 nats, for the model 0.60.'
    )
    certain = SimpleNamespace(**{**vars(ALONE), "at": 2})
    assert "0.00 nats" in word_by_word.say(certain) and "-0.00" not in word_by_word.say(certain)
