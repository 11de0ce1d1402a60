from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from course_lib.plots import show, style
from course_lib.plots.dot_product_by_hand import ByHand, draw, say


def by_hand(query=(1.5, 0.0), weights=(0.7, 0.3)):
    return ByHand(
        query, [(1, 0), (0, 1)], [(2, 0), (0, 2)], ["cat", "dog"], [0.7, -0.004], list(weights),
        (1.4, 0.6), 3.0,
    )


def arrows(axes):
    kept = [(t.arrow_patch.get_edgecolor()[:3], t.xy) for t in axes.texts if t.arrow_patch]
    return {tip: colour for colour, tip in kept}


def test_query_keys_and_values_have_their_colours_and_places():
    fig = Figure((9, 3))
    draw(fig, by_hand())
    plane, _, _, values = fig.axes
    assert arrows(plane)[(0, 1)] == to_rgb(style.K)
    assert arrows(plane)[(1.5, 0.0)] == to_rgb(style.Q)
    assert arrows(values)[(2, 0)] == to_rgb(style.V)
    assert (1.4, 0.6) in arrows(values)


def test_bars_have_the_lengths_of_scores_and_weights():
    fig = Figure((9, 3))
    draw(fig, by_hand())
    lengths = [[bar.get_width() for bar in axes.patches] for axes in fig.axes[1:3]]
    assert lengths == [[0.7, -0.004], [0.7, 0.3]]


def test_update_draws_the_new_query_only():
    fig = Figure((9, 3))
    update = draw(fig, by_hand())
    assert update(by_hand(query=(2.0, 2.0))) is None
    tips = arrows(fig.axes[0])
    assert (2.0, 2.0) in tips and (1.5, 0.0) not in tips


def test_the_sentence_names_the_word_with_most_weight():
    assert say(by_hand()) == (
        "The query (1.50, 0.00) gives “cat” 70% of the attention (score 0.70);"
        " the output is (1.40, 0.60)."
    )
    # -0.004 rounds to nothing: no "-0.00"
    assert "“dog” 60% of the attention (score 0.00)" in say(by_hand(weights=(0.4, 0.6)))


def test_it_can_be_shown():
    assert show(draw, by_hand(), say).png.startswith(b"\x89PNG")
