"""The figures of lesson 62 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import pytest

from course_lib.plots import fill_mask
from course_lib.plots.beside_perfect import BesidePerfect, Row
from course_lib.plots.show import show
from course_lib.plots.style import new_figure
from course_lib.plots.two_tasks import RECENT, TwoTasks

FLOORS = {"mlm": 0.2, "nsp": 0.13, "mlm accuracy": 0.9, "nsp accuracy": 0.95}


def record(step, measured=None):
    parts = {"mlm": 5.0 / step, "nsp": 0.7}
    return SimpleNamespace(step=step, total_steps=100, parts=parts, measured=measured or {})


def look(**changed):
    return {"mlm": 1.5, "nsp": 0.6, "mlm accuracy": 0.5, "nsp accuracy": 0.66} | changed


HISTORY = [record(step, look() if step in (1, 30) else None) for step in range(1, 41)]


def test_both_losses_are_drawn_as_running_means_and_as_looks():
    figure, _ = new_figure((9.6, 3.3), 100)
    update = TwoTasks(floors=FLOORS).draw(figure, HISTORY[:5])
    artists = update(HISTORY)
    train, looks = artists[0], artists[1]
    recent = [5.0 / step for step in range(41 - RECENT, 41)]
    assert train.get_ydata()[-1] == pytest.approx(sum(recent) / RECENT)
    assert train.get_ydata()[0] == 5.0 and len(train.get_xdata()) == 40
    assert list(looks.get_xdata()) == [1, 30] and list(looks.get_ydata()) == [1.5, 1.5]


def test_the_axes_of_both_tasks_stand_still():
    figure, _ = new_figure((9.6, 3.3), 100)
    update = TwoTasks(floors=FLOORS).draw(figure, HISTORY[:1])
    before = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    assert update(HISTORY) is not None
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes] == before


def test_a_longer_run_widens_the_axis_of_steps():
    figure, _ = new_figure((9.6, 3.3), 100)
    update = TwoTasks().draw(figure, HISTORY[:1])
    longer = SimpleNamespace(**{**vars(HISTORY[1]), "total_steps": 1000})
    assert update([*HISTORY[:1], longer]) is None
    assert figure.axes[0].get_xlim()[1] > 1000


def test_perfect_readers_are_drawn_and_named():
    figure, _ = new_figure((9.6, 3.3), 100)
    TwoTasks(floors=FLOORS, no_skill={"mlm": 4.1}).draw(figure, [])
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert texts.count("perfect reader") == 2 and "perfect reader, words" in texts
    assert texts.count("without reading") == 1
    lines = [line.get_ydata()[0] for line in figure.axes[2].lines if len(line.get_ydata()) == 2]
    assert {0.9, 0.95} <= set(lines)


def test_both_tasks_in_words():
    curves = TwoTasks(floors=FLOORS)
    assert curves.say([]) == "No step has been made yet."
    assert curves.say(HISTORY[1:3]).endswith("nothing was measured yet.")
    assert curves.say(HISTORY) == (
        "Step 40 of 100. On held-out pairs, at step 30: masked words 1.50 nats, 50% right (perfect "
        "reader 90%); next sentence 0.60 nats, 66% right (perfect reader 95%)."
    )


def test_perfect_readers_that_are_nearly_alike_have_one_name():
    figure, _ = new_figure((9.6, 3.3), 100)
    TwoTasks(floors=FLOORS | {"mlm accuracy": 0.93}).draw(figure, [])
    texts = [text.get_text() for text in figure.axes[2].texts if text.get_text()]
    assert texts == ["perfect reader, pairs and words"]
    lines = [line.get_ydata()[0] for line in figure.axes[2].lines if len(line.get_ydata()) == 2]
    assert lines == [0.93, 0.95]


def test_many_looks_have_no_markers():
    figure, _ = new_figure((9.6, 3.3), 100)
    few = [record(step, look()) for step in range(1, 31)]
    update = TwoTasks().draw(figure, few)
    lines = [figure.axes[0].lines[1], *figure.axes[2].lines[:2]]
    assert [line.get_marker() for line in lines] == ["o", "o", "s"]
    update([*few, record(31, look())])
    assert [line.get_marker() for line in lines] == ["", "", ""]


def test_looks_alone_are_drawn_without_a_training_curve():
    figure, _ = new_figure((9.6, 3.3), 100)
    looks = [SimpleNamespace(**{**vars(r), "parts": {}}) for r in HISTORY if r.measured]
    TwoTasks(floors=FLOORS).draw(figure, looks)
    train, look = figure.axes[0].lines[:2]
    assert len(train.get_xdata()) == 0 and len(look.get_xdata()) == len(looks)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "held out" in texts and "train" not in texts


def test_a_text_without_floors_is_drawn_too():
    assert "perfect" not in TwoTasks().say(HISTORY)
    show(TwoTasks().draw, HISTORY)


ROWS = [Row("one", 0.5, 0.9, 0.6), Row("two", 0.7, 1.0)]


def test_bars_lines_and_circles_lie_at_their_shares():
    figure, _ = new_figure((9, 2.6), 100)
    BesidePerfect(rival="bag", chance=0.5).draw(figure, ROWS)
    (axes,) = figure.axes
    assert [bar.get_width() for bar in axes.patches] == [0.5, 0.7]
    xs = [line.get_xdata() for line in axes.lines]
    assert [list(x) for x in xs] == [[0.5, 0.5], [0.9, 0.9], [0.6], [1.0, 1.0]]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["your BERT", "perfect reader", "bag", "guessing"]


def test_rows_in_words():
    assert BesidePerfect(rival="bag").say(ROWS) == (
        "Right answers of your BERT, of what a perfect reader reaches: one 50% of 90%, bag 60%; "
        "two 70% of 100%."
    )
    assert "bag" not in BesidePerfect().say(ROWS)


def filled(**changed):
    data = {"seen": ("a", "[MASK]", "c"), "place": 1, "said": "b",
            "model": {"b": 0.25, "x": 0.75}, "perfect": {"b": 1.0},
            "reader": "your BERT"}  # fmt: skip
    return SimpleNamespace(**{**data, **changed})


def test_both_readers_fill_the_gap():
    figure, _ = new_figure((9, 3), 100)
    artists = fill_mask.draw(figure, filled())(filled(place=1, model={"b": 0.4, "x": 0.6}))
    texts = [artist.get_text() for artist in artists if hasattr(artist, "get_text")]
    assert texts[0] == "a ___ c" and "b  100%  (in the story)" in texts and "x  60%" in texts
    assert fill_mask.say(filled()) == (
        "Word 2 of 3 is hidden. The perfect reader says 'b' with 100% and gives 100.0% to 'b'. "
        "Your BERT says 'x' with 75% and gives 25.0% to 'b'."
    )


def test_a_blank_of_the_reader_has_no_right_word():
    figure, _ = new_figure((9, 3), 100)
    fill_mask.draw(figure, filled(said=""))
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert not any("(in the story)" in text for text in texts)
    assert "to ''" not in fill_mask.say(filled(said=""))


def test_a_story_that_cannot_be_told_is_said_so():
    figure, _ = new_figure((9, 3), 100)
    fill_mask.draw(figure, filled(perfect=None))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert fill_mask.NO_ANSWER in texts and "b  0%  (in the story)" not in texts
    assert fill_mask.NO_ANSWER in fill_mask.say(filled(perfect=None))
