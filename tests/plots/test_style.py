import matplotlib
import pytest
from matplotlib.figure import Figure

from course_lib.plots import style


def luminance(colour):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in matplotlib.colors.to_rgb(colour)
    ]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast_on_white(colour):
    return 1.05 / (luminance(colour) + 0.05)


@pytest.mark.parametrize("colour", [style.TRAIN, style.GREY, *style.AS_TEXT.values()])
def test_text_colours_are_readable_on_white(colour):
    assert contrast_on_white(colour) >= 4.5


@pytest.mark.parametrize("colour", [style.Q, style.K, style.V])
def test_line_colours_can_be_seen_on_white(colour):
    assert contrast_on_white(colour) >= 3


def test_no_text_is_smaller_than_ten_points():
    sizes = [size for name, size in style.RC.items() if name.endswith("size")]
    assert len(sizes) >= 5 and min(sizes) >= 10


def test_the_style_leaves_nothing_behind():
    before = dict(matplotlib.rcParams)
    with style.course_style():
        assert matplotlib.rcParams["axes.spines.top"] is False
    assert dict(matplotlib.rcParams) == before


def test_a_new_figure_belongs_to_no_pyplot():
    figure, canvas = style.new_figure((6, 3), 100)
    assert canvas.get_width_height() == (600, 300)
    assert figure.number is None if hasattr(figure, "number") else True


def test_a_reference_line_is_named_where_it_lies():
    axes = Figure().subplots()
    line, label = style.reference_line(axes, 2.5, "gzip", at=1.0, below=True)
    assert list(line.get_ydata()) == [2.5, 2.5]
    assert (label.get_text(), label.xy) == ("gzip", (1.0, 2.5))
    assert (label.get_ha(), label.get_va()) == ("right", "top")


def test_a_line_is_named_at_its_end():
    label = style.label_line(Figure().subplots(), 3, 4, "train", style.TRAIN, dy=-6)
    assert (label.xy, label.get_position(), label.get_text()) == ((3, 4), (5, -6), "train")


@pytest.mark.parametrize("colour", [style.Q, style.K, style.V, style.GREY])
def test_the_name_of_a_line_can_be_read_whatever_its_colour(colour):
    label = style.label_line(Figure().subplots(), 3, 4, "keys", colour)
    assert contrast_on_white(label.get_color()) >= 4.5
