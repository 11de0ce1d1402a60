"""The figures of lessons 01 and 21 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import attention_scaling, by_width, score_variance, settling, temperature
from course_lib.plots.show import show
from course_lib.plots.style import new_figure


def scores(spread, d_k=16, exponent=0.0):
    generator = np.random.default_rng(0)
    probs = generator.dirichlet(np.ones(30), 30)
    return SimpleNamespace(
        d_k=d_k,
        exponent=exponent,
        scores=spread * generator.standard_normal((30, 30)),
        probs=probs,
        gradients=generator.uniform(1e-9, 0.5, 30),
    )


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def test_scaling_figure_follows_the_data_and_keeps_its_limits():
    figure, _ = new_figure((9, 3), 100)
    update = attention_scaling.draw(figure, scores(1))
    before = limits(figure)
    wide = scores(30, d_k=1024)
    changed = update(wide)
    assert limits(figure) == before
    texts = [artist.get_text() for artist in changed if hasattr(artist, "get_text")]
    assert any(text.endswith(f"deviation {wide.scores.std():.2g}") for text in texts)
    (steps,) = figure.axes[0].patches
    assert steps.get_data().values.sum() == pytest.approx(1)


def test_scaling_sentence_names_the_divisor():
    assert "divided by nothing" in attention_scaling.say(scores(1))
    assert "divided by sqrt(d_k)" in attention_scaling.say(scores(1, exponent=0.5))
    assert "divided by d_k:" in attention_scaling.say(scores(1, exponent=1.0))


def test_scores_beyond_the_edge_are_counted_in_the_last_bar():
    assert attention_scaling._shares(scores(500)).sum() == pytest.approx(1)


def test_variances_lie_where_they_were_measured():
    figure, _ = new_figure((6, 3), 100)
    by_width.draw_variances(figure, ([4, 16], {"gaussian": [4.1, 15.9]}))
    line, points = figure.axes[0].get_lines()
    assert list(line.get_ydata()) == [4, 16]
    assert list(points.get_ydata()) == [4.1, 15.9]
    assert "0.994 and 1.025" in by_width.say_variances(([4, 16], {"gaussian": [4.1, 15.9]}))


def test_both_gradient_panels_share_their_scale():
    side = {"low": [1e-3, 0], "median": [0.1, 1e-4], "high": [0.2, 0.2], "mean": [0.1, 0.07]}
    figure, _ = new_figure((9, 3), 100)
    by_width.draw_gradients(figure, ([4, 1024], side, side))
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim() == (1e-6, 2)
    assert "0.0001" in by_width.say_gradients(([4, 1024], side, side))


def test_starts_show_prediction_and_measurement():
    data = [("one", 0.1, 0.11), ("two", 20.0, 19.0)]
    picture = show(score_variance.draw_starts, data, score_variance.say_starts)
    assert "0.11 to 19" in repr(picture) and "within 10%" in repr(picture)


def test_learning_names_both_ends():
    run = SimpleNamespace(
        steps=[0, 5], losses=[3.0, 0.5], variances=np.ones((2, 2, 4)) * [[[1]], [[4]]]
    )
    picture = show(score_variance.draw_learning, run, score_variance.say_learning)
    assert "from 3.00 to 0.5 nats" in repr(picture) and "from 1 to 4" in repr(picture)


WORDS = ["mat", "sofa", "floor", "roof", "moon"]
FALLING = np.array([0.7, 0.2, 0.06, 0.03, 0.01])


def shares(temp):
    return SimpleNamespace(
        temperature=temp, probs=FALLING if temp < 1 else np.full(5, 0.2), words=WORDS
    )


def test_temperature_figure_moves_bars_and_numbers():
    figure, _ = new_figure((9, 3), 100)
    update = temperature.draw(figure, shares(0.5))
    before = limits(figure)
    update(shares(3.0))
    assert limits(figure) == before
    bars = figure.axes[0].patches
    assert [bar.get_width() for bar in bars] == [0.2] * 5
    assert [text.get_text() for text in figure.axes[0].texts] == ["20.0%"] * 5
    assert 'At temperature 0.5 the word "mat" gets 70.0%' in temperature.say(shares(0.5))


def test_every_word_has_a_curve_with_its_name():
    figure, _ = new_figure((6, 3), 100)
    curves = SimpleNamespace(
        temperatures=list(np.logspace(-1, 1, 13)), probs=np.array([FALLING] * 13), words=WORDS
    )
    temperature.draw_curves(figure, curves)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == WORDS
    assert [line.get_ydata()[0] for line in axes.get_lines()] == [0.7, 0.2, 0.06, 0.03, 0.01]
    assert "from 70% down to 1%" in temperature.say_curves(curves)


def test_flips_are_drawn_as_they_come():
    figure, _ = new_figure((7, 3), 100)
    update = settling.draw(figure, [])
    (curve,) = update([SimpleNamespace(step=1, share=1.0), SimpleNamespace(step=2, share=0.5)])
    assert list(curve.get_ydata()) == [1.0, 0.5]
    assert settling.say([]) == "No coin is flipped yet."
    assert "After 2 flips, 50.0%" in settling.say([SimpleNamespace(step=2, share=0.5)])
