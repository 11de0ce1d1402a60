"""The figures of lesson 51."""

from types import SimpleNamespace

import numpy as np

from course_lib.plots import cut_costs, cycles, entropy_curve, next_word, variety
from course_lib.plots.style import new_figure


def word(after=(0.6, 0.4, 0.0), temperature=1.0, n_kept=2, beginning="there was a"):
    return SimpleNamespace(
        beginnings=("there was a", "one " * 20), beginning=beginning, temperature=temperature,
        cut="top-k 2", words=("a", "b", "c"), before=np.array([0.5, 0.33, 0.17]),
        after=np.array(after), n_kept=n_kept, kept=0.83,
        continuations=("cat .", "dog .", "cat ran"),
    )  # fmt: skip


def test_bars_and_words_follow_and_limits_stand_still():
    figure, _ = new_figure((9, 4), 100)
    update = next_word.draw(figure, word())
    axes, texts = figure.axes
    limits = axes.get_xlim(), axes.get_ylim()
    update(word((1.0, 0.0, 0.0), n_kept=1))
    assert (axes.get_xlim(), axes.get_ylim()) == limits
    wide, narrow = (bars.get_data().values for bars in axes.patches)
    assert list(wide) == [0.5, 0, 0.33, 0, 0.17] and list(narrow) == [1, 0, 0, 0, 0]
    assert [t.get_text() for t in axes.texts] == ["a  100%", "b", "c"]
    assert "dog ." in texts.texts[-1].get_text()


def test_each_bar_stands_beside_its_word():
    figure, _ = new_figure((9, 4), 100)
    next_word.draw(figure, word())
    axes = figure.axes[0]
    for bars in axes.patches:
        edges = bars.get_data().edges
        assert list((edges[::2] + edges[1::2]) / 2) == [t.get_position()[1] for t in axes.texts]


def test_the_mark_stands_beside_the_beginning_that_was_chosen():
    figure, _ = new_figure((9, 4), 100)
    update = next_word.draw(figure, word())
    texts = figure.axes[1]
    (mark,) = texts.lines
    first, second, below = (text.get_position()[1] for text in texts.texts)
    assert first <= mark.get_ydata()[0] < mark.get_ydata()[1] < second
    update(word(beginning="one " * 20))
    assert second <= mark.get_ydata()[0] < mark.get_ydata()[1] < below


def test_a_share_that_would_read_as_nothing_has_no_number():
    figure, _ = new_figure((9, 4), 100)
    next_word.draw(figure, word(after=(0.991, 0.0051, 0.0049)))
    assert [t.get_text() for t in figure.axes[0].texts] == ["a  99%", "b  1%", "c"]


def test_the_sentence_counts_what_is_left():
    assert next_word.say(word()) == (
        'At temperature 1, top-k 2: 2 words can be drawn, with 83.0% of the probability; "a" gets '
        "60.0%."
    )
    assert "1 word can" in next_word.say(word(n_kept=1))


def test_entropy_and_slope_share_their_temperatures():
    t = np.array([0.1, 1.0, 10.0])
    curve = SimpleNamespace(
        temperatures=t, entropy=np.array([0, 1.0, 1.09]), slope=np.array([0.1, 0.7, 0.01]),
        n_words=3,
    )  # fmt: skip
    figure, _ = new_figure((7, 4), 100)
    entropy_curve.draw(figure, {"sure": curve, "open": curve})
    upper, lower = figure.axes
    np.testing.assert_allclose(upper.lines[0].get_ydata(), curve.entropy)
    np.testing.assert_allclose(lower.lines[1].get_ydata(), curve.slope * t)
    said = "Entropy rises from 0 towards ln 3; steepest here: sure at temperature 1."
    assert entropy_curve.say({"sure": curve}) == said


def test_a_cycle_is_marked_and_chance_is_not():
    walks = {
        "greedy": (np.array([0, 1, 2, 1, 2]), SimpleNamespace(before=1, length=2)),
        "drawn": (np.array([0, 2, 1, 1, 0]), None),
    }
    figure, _ = new_figure((9, 3), 100)
    cycles.draw(figure, walks)
    left, right = figure.axes
    assert left.get_title() == "greedy: at step 3 as at step 1"
    assert len(left.patches) == 1 and not right.patches
    assert cycles.say(walks) == (
        "Greedy comes at step 3 to the word of step 1, and every 2 steps from then on; "
        "drawn no cycle in 4 steps."
    )


def cost(lost, wrong):
    return SimpleNamespace(lost=lost, wrong=wrong)


def test_each_family_of_cuts_is_a_line_with_its_settings():
    data = {"top-k": [("5", cost(0.1, 0.05)), ("9", cost(0.02, 0.06))],
            "top-p": [("0.9", cost(0.01, 0.04))], "no cut": cost(0.0, 0.07)}  # fmt: skip
    figure, _ = new_figure((8, 4), 100)
    cut_costs.draw(figure, data)
    (axes,) = figure.axes
    np.testing.assert_allclose(axes.lines[0].get_xdata(), [10, 2])
    np.testing.assert_allclose(axes.lines[1].get_ydata(), [4])
    np.testing.assert_allclose(axes.lines[2].get_ydata(), 7)
    assert axes.get_ylim()[1] > 7
    written = {text.get_text() for text in axes.texts}
    assert {"top-k 5", "top-k 9", "top-p 0.9", "no cut: 7.0%"} <= written
    assert cut_costs.say(data).startswith(
        "No cut leaves 7.0% impossible; top-k from 5 (10.0% lost, 5.0% impossible) to 9 (2.0%"
    )


def test_variety_and_sense_stand_beside_the_grammar_s_own():
    def found(distinct, possible):
        return SimpleNamespace(distinct=distinct, possible=possible)

    data = (
        {0.0: found(0.1, 0.0), 1.0: found(0.8, 0.3)}, found(0.9, 1.0), ("cut", found(0.7, 0.4)),
    )  # fmt: skip
    figure, _ = new_figure((9, 3), 100)
    variety.draw(figure, data)
    left, right = figure.axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), [0.1, 0.8])
    np.testing.assert_allclose(right.lines[0].get_ydata(), [0.0, 0.3])
    assert [axes.lines[1].get_ydata()[0] for axes in (left, right)] == [0.7, 0.4]
    assert left.get_ylim() == right.get_ylim() == (0, 1.12)
    assert variety.say(data).endswith(
        "T = 1: 80% and 30%; T = 1, cut: 70% and 40%; the grammar's own stories: 90% and 100%."
    )
