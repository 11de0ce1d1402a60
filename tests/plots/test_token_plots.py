"""The figures of lesson 11 show the numbers, and their limits stand still."""

from dataclasses import dataclass, field, replace

import pytest

from course_lib.plots import tokens_per_word, unknown_symbols
from course_lib.plots.style import new_figure


@dataclass(frozen=True)
class Unknown:
    lengths: list = field(default_factory=lambda: [100, 1000, 10_000])
    shares: dict = field(default_factory=lambda: {
        "words": [0.5, 0.3, 0.2], "characters": [0.01, 0.001, 0.0], "bytes": [0.0, 0.0, 0.0]
    })  # fmt: skip


@dataclass(frozen=True)
class Costs:
    n_tokens: int = 256
    sizes: list = field(default_factory=lambda: [256, 1000, 4000])
    per_word: dict = field(default_factory=lambda: {"one": [9.0, 4.0, 3.0], "two": [5.0, 3.2, 3.1]})
    sentences: dict = field(default_factory=lambda: {"A": [100, 60, 50], "B": [200, 200, 190]})


def test_unknown_shares_lie_where_they_were_measured_and_none_on_the_edge():
    figure, _ = new_figure((8, 3.6), 100)
    unknown_symbols.draw(figure, Unknown())
    words, characters, none = figure.axes[0].get_lines()
    assert list(words.get_ydata()) == [0.5, 0.3, 0.2]
    assert list(characters.get_ydata()) == [0.01, 0.001, unknown_symbols.LOWEST]
    assert set(none.get_ydata()) == {unknown_symbols.LOWEST} == {figure.axes[0].get_ylim()[0]}
    assert [text.get_text() for text in figure.axes[0].texts] == list(Unknown().shares)


def test_unknown_sentence():
    said = unknown_symbols.say(Unknown())
    assert "words from 50% to 20%" in said and "bytes from none to none" in said
    assert "100 to 10,000 characters" in said


def test_costs_follow_the_size_and_the_limits_stand_still():
    figure, _ = new_figure((9.5, 3.6), 100)
    update = tokens_per_word.draw(figure, Costs())
    before = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    update(replace(Costs(), n_tokens=4000))
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes] == before
    left, right = figure.axes
    assert [bar.get_width() for bar in right.patches] == [50, 190]
    assert [text.get_text() for text in right.texts] == ["50", "190"]
    dots = [line for line in left.get_lines() if line.get_marker() == "o"]
    assert [(dot.get_xdata()[0], dot.get_ydata()[0]) for dot in dots] == [(4000, 3.0), (4000, 3.1)]


def test_names_of_near_curves_do_not_overlap():
    assert tokens_per_word._apart([3.0, 3.1, 2.0], 0.95) == pytest.approx([3.0, 3.95, 2.0])
    assert tokens_per_word._apart([1.0, 1.0, 1.0], 0.5) == pytest.approx([1.0, 1.5, 2.0])


def test_costs_sentence():
    said = tokens_per_word.say(replace(Costs(), n_tokens=1000))
    assert "A vocabulary of 1,000" in said and "one 4.00, two 3.20" in said
    assert "A 60, B 200" in said
