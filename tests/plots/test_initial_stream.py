from types import SimpleNamespace

import numpy as np

from course_lib.plots import initial_stream, write_sizes
from course_lib.plots.style import new_figure
from course_lib.plots.warmup_race import draw_for

DEPTHS = (2, 6, 12)


def ends(std=0.02, same=False, readings=("not scaled", "as a variance"), growth=1.0):
    variances = {r: growth * (i + 1) * np.array(DEPTHS) for i, r in enumerate(readings)}
    return SimpleNamespace(depths=DEPTHS, std=std, same_weights=same, variances=variances)


def test_lines_and_numbers_follow_and_limits_stand_still():
    figure, _ = new_figure((6, 3), 100)
    update = initial_stream.draw(figure, ends())
    (axes,) = figure.axes
    limits = axes.get_xlim(), axes.get_ylim()
    changed = update(ends(0.04, True, growth=100.0))
    assert (axes.get_xlim(), axes.get_ylim()) == limits
    np.testing.assert_allclose(changed[1].get_ydata(), 200 * np.array(DEPTHS))
    assert [label.get_text() for label in changed[2:4]] == ["1200", "2400"]
    assert changed[-1].get_text() == "Standard deviation 0.04, one block's weights in all blocks"


def test_both_axes_are_logarithmic_and_hold_all_that_the_sliders_reach():
    figure, _ = new_figure((6, 3), 100)
    initial_stream.draw(figure, ends())
    (axes,) = figure.axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.get_ylim()[0] <= 0.004 and axes.get_ylim()[1] >= 2e4


def test_the_sentence_has_both_ends_of_every_reading():
    assert initial_stream.say(ends()) == (
        "Standard deviation 0.02, fresh weights in every block. From 2 to 12 blocks the end goes: "
        "not scaled from 2 to 12; as a variance from 4 to 24."
    )


def test_losses_have_the_colours_of_the_lines_whose_writers_they_share():
    names = tuple(initial_stream.LOOKS)
    figure, _ = new_figure((6, 3), 100)
    draw_for(names, 10, 3.0, initial_stream.RACE_LOOKS)(figure, [])
    curves = {line.get_label(): line for line in figure.axes[0].lines}
    assert [curves[name].get_color() for name in names] == [
        colour for colour, _ in initial_stream.LOOKS.values()
    ]
    assert len({curves[name].get_linestyle() for name in names}) == 3


WRITES = {"attention": ([0.1, 0.3], [0.1, 0.2]), "feed-forward": ([0.4, 0.4], [0.4, 0.5])}


def test_what_is_written_stands_beside_what_was_foretold():
    figure, _ = new_figure((6, 3), 100)
    write_sizes.draw(figure, WRITES)
    (axes,) = figure.axes
    drawn = [line.get_ydata() for line in axes.lines]
    for line, wanted in zip(drawn, ([0.1, 0.2], [0.1, 0.3], [0.4, 0.5], [0.4, 0.4]), strict=True):
        np.testing.assert_allclose(line, wanted)
    assert write_sizes.say(WRITES) == (
        "Over 2 blocks, attention adds 0.100 in the first block and 0.300 in the last, at most 50% "
        "off the forecast; feed-forward adds 0.400 in the first block and 0.400 in the last, at "
        "most 20% off the forecast."
    )
