import pytest
from matplotlib.figure import Figure

from course_lib.widgets.canvas import BlitCanvas


def line_and_word(order):
    """A plot of which `update` returns the artists in `order`, and that counts full redraws."""

    def draw(fig, data):
        axes = fig.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 10), xlabel="x")
        artists = {
            "line": axes.plot([0, 1], [data, data], linewidth=8, zorder=2)[0],
            "word": axes.text(0.4, data, "word", fontsize=30, color="red", zorder=3),
        }

        def update(data):
            artists["line"].set_ydata([data, data])
            artists["word"].set_position((0.4, data))
            return None if order is None else [artists[name] for name in order]

        return update

    return draw


@pytest.mark.parametrize("order", [["line", "word"], ["word", "line"]])
def test_blitting_gives_the_picture_of_a_full_redraw(order, pixels):
    fast, slow = BlitCanvas(line_and_word(order), 1), BlitCanvas(line_and_word(None), 1)
    for value in (1, 5, 3, 8):
        assert (pixels(fast.png(value)) == pixels(slow.png(value))).all()


def test_nothing_of_an_older_picture_is_left(pixels):
    canvas = BlitCanvas(line_and_word(["line", "word"]), 1)
    first = pixels(canvas.png(2))
    assert (first != pixels(canvas.png(7))).any()
    assert (first == pixels(canvas.png(2))).all()


def test_an_artist_that_moves_later_is_drawn_from_then_on_and_stays(pixels):
    """`update` may return other artists each time, also none at all."""

    def draw(fig, data):
        axes = fig.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 10))
        low, high = axes.plot([0, 1], [1, 1])[0], axes.plot([0, 1], [9, 9])[0]
        moves = {"low": [low], "high": [high], "nothing": []}

        def update(data):
            for artist in moves[data]:
                artist.set_ydata([4, 6])
            return moves[data]

        return update

    canvas = BlitCanvas(draw, "low")
    moved_low = canvas.png("low")
    both = pixels(canvas.png("high"))
    assert (both != pixels(moved_low)).any()
    assert (both == pixels(canvas.png("nothing"))).all()


def test_only_the_first_picture_draws_everything(monkeypatch):
    canvas = BlitCanvas(line_and_word(["line", "word"]), 1)
    draws = []
    original = Figure.draw
    monkeypatch.setattr(Figure, "draw", lambda self, r: (draws.append(1), original(self, r))[1])
    for value in (1, 2, 3):
        canvas.png(value)
    assert len(draws) == 1


def test_a_full_redraw_keeps_the_artists_that_were_blitted(pixels):
    def draw(fig, data):
        axes = fig.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 10))
        (line,) = axes.plot([0, 1], [5, 5], linewidth=9, color="red")
        return lambda data: [line] if data == "moved" else None

    canvas = BlitCanvas(draw, "moved")
    assert (pixels(canvas.png("moved")) == pixels(canvas.png("limits changed"))).all()


def test_the_axes_hold_still(pixels):
    """Wider tick labels must not push the axes aside while a slider moves."""

    def draw(fig, data):
        axes = fig.subplots()

        def update(data):
            axes.set_ylim(0, data)

        return update

    canvas = BlitCanvas(draw, 1)
    canvas.png(1)
    before = canvas.figure.axes[0].get_position().bounds
    canvas.png(1e6)
    assert canvas.figure.axes[0].get_position().bounds == before


def test_draw_without_update_is_refused():
    with pytest.raises(TypeError, match="draw must return its update function, got None"):
        BlitCanvas(lambda fig, data: None, 1)


def test_size_is_in_css_pixels():
    canvas = BlitCanvas(line_and_word(None), 1, size=(6, 3), dpi=200)
    assert (canvas.width, canvas.height) == (600, 300)
