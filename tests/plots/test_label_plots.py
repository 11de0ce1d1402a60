"""The figures of lesson 63 show the numbers."""

from types import SimpleNamespace

import pytest
from matplotlib.colors import to_rgb

from course_lib.plots import four_heads, label_contest, style
from course_lib.plots.label_contest import Curve, Panel
from course_lib.plots.seeds import Seeds
from course_lib.plots.show import show
from course_lib.plots.style import new_figure

CURVES = [
    Curve("pre-trained", (100, 1000), (0.5, 0.8), ((0.4, 0.6), (0.75, 0.85))),
    Curve("from scratch", (100, 1000), (0.35, 0.6), ((0.3, 0.4), (0.6, 0.6))),
]
PANELS = [Panel("pair", CURVES, 0.2), Panel("tags", CURVES)]


def test_a_panel_a_task_with_means_and_intervals():
    figure, _ = new_figure((9, 3), 100)
    label_contest.draw(figure, PANELS)
    assert [axes.get_title("left") or axes.get_title() for axes in figure.axes] == ["pair", "tags"]
    assert figure.axes[0].get_ylim()[0] == 0.2
    line, _, (bars,) = figure.axes[0].containers[0].lines
    assert list(line.get_ydata()) == [0.5, 0.8]
    assert [tuple(segment[:, 1]) for segment in bars.get_segments()] == [
        pytest.approx((0.4, 0.6)), pytest.approx((0.75, 0.85)),
    ]  # fmt: skip
    said = label_contest.say(PANELS)
    assert "pair: pre-trained 50% (100), 80% (1,000); from scratch 35% (100)" in said
    assert show(label_contest.draw, PANELS[:1], label_contest.say)


def test_seeds_are_dots_and_their_mean_is_a_bar():
    scores = {"0.001": (0.9, 0.5, 0.7), "0.003": (0.5, 0.5, 0.5)}
    figure, _ = new_figure((8, 3), 100)
    plot = Seeds("rate", lowest=0.4)
    plot.draw(figure, scores)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [sorted(line.get_xdata()) for line in dots] == [[0.5, 0.7, 0.9], [0.5] * 3]
    assert len(set(dots[1].get_ydata())) == 3  # equal ones are seen one by one
    assert "mean 70%" in [text.get_text() for text in figure.axes[0].texts]
    assert "0.001: mean 70%, from 50% to 90%" in plot.say(scores)


def said(n_words=5, answer=(1, 3)):
    tags = tuple(("person", "outside", "place", "object", "outside")[i % 5] for i in range(n_words))
    return SimpleNamespace(
        words=tuple(f"w{i}" for i in range(n_words)), tags=tags, question="who ?", answer=answer,
        claim="c .", pair={"entails": 0.7, "contradicts": 0.2, "neither": 0.1},
        sentence="s .", single={"broken": 0.1, "a sentence": 0.9},
    )  # fmt: skip


def test_tags_colour_the_words_and_a_frame_holds_the_answer():
    figure, _ = new_figure((9.6, 5), 100)
    update = four_heads.draw(figure, said(90, (88, 90)))
    assert update(said()) is None
    story = figure.axes[0]
    cells = [cell for cell in story.patches if cell.get_visible()]
    assert len(cells) == 5
    assert cells[0].get_facecolor()[:3] == pytest.approx(to_rgb(style.Q), abs=0.01)
    assert cells[1].get_facecolor()[:3] == (1, 1, 1)
    frames = [cell.get_linewidth() > 2 for cell in cells]
    assert frames == [False, True, True, False, False]
    assert [text.get_text() for text in story.texts if text.get_text()] == list(said().words)
    assert [bar.get_width() for bar in figure.axes[1].patches] == [0.7, 0.2, 0.1]
    text = four_heads.say(said())
    assert "entails (70%)" in text and "'w1 w2'" in text and "person: w0" in text
