import math

import pytest
from matplotlib.figure import Figure

from course_lib.plots import show, training
from course_lib.plots.training import BITS, TrainingCurves


def columns(n, total=100, top=5.0):
    steps = list(range(1, n + 1))
    return {
        "step": steps,
        "total_steps": [total] * n,
        "train_loss": [top / s for s in steps],
        "validation_loss": [None if s % 5 else top / s + 0.1 for s in steps],
        "lr": [1e-3] * n,
        "grad_norm": [2.0] * n,
    }


class Record:
    def __init__(self, columns, i):
        vars(self).update({name: values[i] for name, values in columns.items()})


def drawn(curves, history):
    fig = Figure((9, 3))
    update = curves.draw(fig, history)
    return fig.axes, update


def test_losses_learning_rate_and_norm_are_drawn_as_they_are():
    (losses, lr, norm), _ = drawn(TrainingCurves(), columns(10))
    train, validation = losses.get_lines()[:2]
    assert list(train.get_xdata()) == list(range(1, 11))
    assert train.get_ydata()[1] == 2.5
    assert list(validation.get_xdata()) == [5, 10]  # only where it was measured
    assert lr.get_lines()[0].get_ydata()[0] == pytest.approx(1)  # in thousandths, as the title says
    assert norm.get_lines()[0].get_ydata()[0] == 2.0


def test_bits_are_nats_over_ln_2_and_named_on_the_axis():
    (losses, *_), _ = drawn(TrainingCurves(BITS), columns(10))
    assert losses.get_lines()[0].get_ydata()[0] == pytest.approx(5 / math.log(2))
    assert losses.get_ylabel() == "loss (bits per byte)"
    assert drawn(TrainingCurves(), [])[0][0].get_ylabel() == "loss (nats per token)"


def test_train_and_validation_differ_in_more_than_colour():
    (losses, *_), _ = drawn(TrainingCurves(), columns(10))
    train, validation = losses.get_lines()[:2]
    assert train.get_linestyle() != validation.get_linestyle()
    assert validation.get_marker() != "None"
    assert {"train", "validation"} <= {text.get_text() for text in losses.texts}


def test_the_higher_line_has_the_higher_name():
    (losses, *_), _ = drawn(TrainingCurves(), columns(10))
    heights = {text.get_text(): text.get_position()[1] for text in losses.texts}
    assert heights["validation"] > heights["train"]


def test_references_lie_where_they_should_and_are_named():
    (losses, *_), _ = drawn(TrainingCurves(BITS, {"gzip": 3.1, "xz": 2.9}), [])
    levels = [line.get_ydata()[0] for line in losses.get_lines()[2:]]
    assert levels == [3.1, 2.9]  # in the unit of the axis, not divided by ln 2
    labels = {text.get_text(): text for text in losses.texts}
    assert labels["gzip"].get_va() == "bottom" and labels["xz"].get_va() == "top"
    assert losses.get_ylim()[1] > 3.1


def test_the_axis_of_steps_covers_the_whole_run_from_the_first_record_on():
    axes, update = drawn(TrainingCurves(), columns(1))
    before = [a.get_xlim() for a in axes]
    assert all(limits[1] >= 100 for limits in before)
    update(columns(100))
    assert [a.get_xlim() for a in axes] == before
    assert max(axes[0].get_xticks()) <= 100


def test_a_value_that_fits_moves_artists_and_one_that_does_not_redraws_all():
    axes, update = drawn(TrainingCurves(), columns(10))
    assert update(columns(11))
    top = axes[0].get_ylim()[1]
    assert update(columns(11, top=3 * top)) is None
    assert axes[0].get_ylim()[1] >= 3 * top
    assert update(columns(11))  # and it does not shrink again
    assert axes[0].get_ylim()[1] >= 3 * top


def test_an_empty_history_gives_an_empty_picture_and_says_so():
    assert repr(show(training.draw, [], training.say)) == "No step has been made yet."


def test_records_and_lists_are_the_same():
    history = columns(10)
    records = [Record(history, i) for i in range(10)]
    assert training.as_columns(records) == training.as_columns(history)
    assert training.say(records) == training.say(history)


def test_the_sentence_has_the_newest_numbers_with_their_unit():
    assert training.say(columns(9)) == (
        "Step 9 of 100: train loss 0.56 nats per token, validation loss 1.10 (step 5);"
        " learning rate 0.001, gradient norm 2."
    )
    assert "train loss 0.80 bits per byte;" in TrainingCurves(BITS).say(columns(9)).replace(
        ", validation loss 1.59 (step 5)", ""
    )
    assert "validation" not in training.say(columns(3))


@pytest.mark.parametrize(
    ("value", "expected"), [(1, 1), (1.01, 1.5), (0.052, 0.06), (9, 10), (83, 100)]
)
def test_limits_are_round(value, expected):
    assert training._round_up(value) == pytest.approx(expected)
