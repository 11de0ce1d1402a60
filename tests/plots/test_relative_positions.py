import numpy as np

from course_lib.plots import relative_positions
from course_lib.plots.show import show
from course_lib.plots.style import new_figure


def test_both_matrices_are_drawn_symmetric_about_0():
    figure, _ = new_figure((8, 3.3), 100)
    distances = np.arange(20)[:, None] - np.arange(20)
    noise = np.random.default_rng(0).standard_normal((20, 20))
    relative_positions.draw_scores(figure, (-np.abs(distances) * 1.0, noise))
    images = [axes.images[0] for axes in figure.axes[:2]]
    assert [image.get_clim() for image in images][0] == (-19, 19)
    sentence = relative_positions.say_scores((-np.abs(distances) * 1.0, noise))
    assert "0% for the raw vectors" in sentence


def test_slow_pairs_are_counted_as_in_the_lesson():
    picture = show(
        relative_positions.draw_turns, (128, [2048, 4096], 10_000.0), relative_positions.say_turns
    )
    assert "23 of 64 within 2048, 18 of 64 within 4096" in repr(picture)


def test_a_pair_turns_once_in_its_wavelength():
    turns = relative_positions.turns_within(4, 1000, 100.0)
    np.testing.assert_allclose(turns, [1000 / (2 * np.pi), 100 / (2 * np.pi)])
