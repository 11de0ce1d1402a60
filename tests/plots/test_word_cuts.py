"""The figures of lesson 12 show every piece, and their limits stand still."""

from types import SimpleNamespace

from course_lib.plots import word_cuts
from course_lib.plots.show import show
from course_lib.plots.style import new_figure


def cuts(word, *rows):
    return SimpleNamespace(
        word=word, n_merges=7, pieces=dict(zip(word_cuts.ROWS, map(str.split, rows), strict=True))
    )


SHORT = cuts("hot", "hot", "h ##ot", "h ##o ##t")
LONG = cuts("documentations", "documentations", "d " + "##x " * 13, "docu ##mentations")


def boxes(figure):
    return [box for box in figure.axes[0].patches if box.get_visible()]


def test_each_piece_is_a_box_over_its_letters():
    figure, _ = new_figure((9, 3.2), 100)
    update = word_cuts.draw(figure, SHORT)
    limits = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    assert [round(box.get_x()) for box in boxes(figure)] == [0, 0, 1, 0, 1, 2]
    assert [round(box.get_width() + 0.1) for box in boxes(figure)] == [3, 1, 2, 1, 1, 1]
    changed = update(LONG)
    assert len(boxes(figure)) == 1 + 14 + 2
    assert [round(box.get_x()) for box in boxes(figure)[-2:]] == [0, 4]
    texts = [artist.get_text() for artist in changed if hasattr(artist, "get_text")]
    assert "mentations" in texts and "14 pieces" in texts and "1 piece" in texts
    update(SHORT)
    assert len(boxes(figure)) == 6
    assert (figure.axes[0].get_xlim(), figure.axes[0].get_ylim()) == limits


def test_the_sentence_names_all_pieces():
    sentence = word_cuts.say(SHORT)
    assert "by rank hot; longest first h ##ot;" in sentence and "h ##o ##t" in sentence


def test_shares_are_drawn_with_their_names():
    data = ([10, 20], {"cut": [0.2, 0.3], "training": [0.8, 0.7]})
    picture = show(word_cuts.draw_shares, data, word_cuts.say_shares)
    assert "30% of the words" in repr(picture) and "training 70%" in repr(picture)
    figure, _ = new_figure((8, 3.2), 100)
    word_cuts.draw_shares(figure, data)
    (axes,) = figure.axes
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[0.8, 0.7], [0.2, 0.3]]
    assert len(axes.texts) == 2
