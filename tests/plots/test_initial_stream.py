from types import SimpleNamespace

import numpy as np

from course_lib.plots import initial_stream
from course_lib.plots.style import new_figure


def stream(n_layers=3, growth=2.0, reading="not scaled"):
    variances = 0.001 * growth ** np.arange(n_layers + 1)
    return SimpleNamespace(
        n_layers=n_layers, std=0.02, reading=reading, writer_std=0.01, variances=variances
    )


def test_curve_and_end_follow_and_limits_stand_still():
    figure, _ = new_figure((6, 3), 100)
    update = initial_stream.draw(figure, stream())
    (axes,) = figure.axes
    limits = axes.get_xlim(), axes.get_ylim()
    curve, end, label, title = update(stream(8, 3.0, "as a variance"))
    assert (axes.get_xlim(), axes.get_ylim()) == limits
    np.testing.assert_allclose(curve.get_ydata(), stream(8, 3.0).variances)
    assert end.get_xdata()[0] == 8 and label.get_text() == "6.6"
    assert "as a variance" in title.get_text()


def test_the_sentence_has_both_ends():
    assert "(not scaled): the variance of the stream goes from 0.001 to 0.008." in (
        initial_stream.say(stream())
    )
