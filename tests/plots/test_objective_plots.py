"""The figures of lesson 41 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import pytest

from course_lib.plots import (
    ever_selected,
    leaks,
    likely_words,
    masked_story,
    two_sides,
    word_overlap,
)
from course_lib.plots.show import show
from course_lib.plots.style import new_figure

BEFORE = SimpleNamespace(
    words=("a", "b", "c"), seen=("a", "[MASK]", "x"), fates=("not scored", "hidden", "swapped")
)
AFTER = SimpleNamespace(
    words=("a", "b", "c"), seen=("a", "b", "[MASK]"), fates=("kept", "not scored", "hidden")
)


def test_a_masked_story_follows_its_data():
    figure, _ = new_figure((9, 3), 100)
    artists = masked_story.draw(figure, BEFORE)(AFTER)
    texts = [artist.get_text() for artist in artists[3:]]
    assert texts == ["a", "→ a", "b", "", "[MASK]", "→ c"]
    faces = [artist.get_facecolor()[:3] for artist in artists[:3]]
    assert faces[1] == (1, 1, 1) and len(set(faces)) == 3


def test_a_masked_story_in_words():
    assert masked_story.say(BEFORE) == (
        "Of 3 words 2 are scored: 1 hidden, 1 swapped for a random word, 0 kept. A GPT is scored "
        "on 2 of them, all but the first."
    )


def test_leaks_draw_a_mean_of_the_last_steps_within_fixed_limits():
    history = [SimpleNamespace(step=i, losses={"a": float(i), "b": 1.0}) for i in range(1, 8)]
    figure, _ = new_figure((8, 3), 100)
    update = leaks.draw_for(["a", "b"], 10, 3.0)(figure, [])
    before = figure.axes[0].get_ylim()
    a, b = update(history)
    assert figure.axes[0].get_ylim() == before and a.get_ydata()[-1] == 5  # mean of 3 to 7
    assert list(b.get_xdata()) == list(range(1, 8))
    assert leaks.say(history) == "Loss at step 7, in nats: a 5; b 1."
    assert leaks.say([]) == "The race has not begun."


SIDES = SimpleNamespace(
    words=("Tom", "ate", "it"), place=1, before={f"w{i}": 0.08 for i in range(10)} | {"ate": 0.2},
    both={"ate": 0.75, "had": 0.25},
)  # fmt: skip


def test_two_sides_show_the_likeliest_words_and_the_rest():
    figure, _ = new_figure((9, 3), 100)
    artists = two_sides.draw(figure, SIDES)(SIDES)
    left, right = artists[:15], artists[15:]
    assert left[0].get_text() == "Tom ___" and right[0].get_text() == "Tom ___ it"
    assert left[1].get_width() == 0.2 and left[8].get_text() == "ate  20%  (said)"
    assert left[7].get_width() == pytest.approx(0.4) and left[14].get_text() == "5 others  40%"
    assert [bar.get_width() for bar in right[1:8]] == [0.75, 0.25, 0, 0, 0, 0, 0]
    assert right[10].get_text() == ""
    assert "'ate'" in two_sides.say(SIDES) and "20.0% (one of 11" in two_sides.say(SIDES)


def test_the_word_that_was_said_is_always_shown():
    likely = {f"w{i}": 0.12 for i in range(8)} | {"ate": 0.04}
    rows = likely_words.ranked(likely, "ate", 6)
    assert len(rows) == 7 and rows[5] == ("ate", 0.04)
    assert rows[6] == ("3 others", pytest.approx(0.36))
    assert likely_words.ranked(likely | {"ate": 0.12}, "ate", 6)[0] == ("ate", 0.12)


def test_long_texts_are_cut_between_words():
    assert likely_words.end_of("one two three", 20) == "one two three"
    assert likely_words.end_of("one two three", 8) == "… three"
    assert likely_words.start_of("one two three", 8) == "one two …"


def test_ever_selected_draws_both_and_says_the_ends():
    data = [("static", [0.2, 0.2], [0.15, 0.15]), ("dynamic", [0.2, 0.3], [0.15, 0.28])]
    figure, _ = new_figure((7, 3), 100)
    ever_selected.draw(figure, data)
    lines = figure.axes[0].get_lines()
    assert list(lines[2].get_ydata()) == [0.15, 0.28] and list(lines[3].get_ydata()) == [0.2]
    assert "dynamic 30.0% (foretold 28.0%)" in repr(
        show(ever_selected.draw, data, ever_selected.say)
    )


def test_overlap_bars_are_shares_and_the_last_holds_all_above():
    data = [
        SimpleNamespace(task="another text", right=(1, 1, 9, 7), wrong=(0, 0), accuracy=0.9),
        SimpleNamespace(task="the two swapped", right=(1,), wrong=(1,), accuracy=0.5),
    ]
    figure, _ = new_figure((9, 3), 100)
    word_overlap.draw(figure, data)
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights[1] == 0.5 and heights[7] == 0.5 and heights[8] == 1.0
    assert "a stranger from another text" in figure.axes[0].get_title()
    assert word_overlap.say(data).endswith("another text 90%; the two swapped 50%.")
