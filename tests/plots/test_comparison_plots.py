"""The figures of lesson 65 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import depends_on, graded_places, hidden_pairs, jobs, two_switches
from course_lib.plots.style import new_figure


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def depends(place):
    n = 5
    bert = np.full(n, 0.1)
    bert[place] = 0.6
    gpt = np.zeros(n)
    gpt[: place + 1] = 1 / (place + 1)
    return SimpleNamespace(words=tuple("abcde"), place=place, bert=bert, gpt=gpt)


def test_bars_follow_the_word():
    figure, _ = new_figure((9, 4), 100)
    update = depends_on.draw(figure, depends(0))
    before = limits(figure)
    update(depends(3))
    assert limits(figure) == before
    heights = [[bar.get_height() for bar in axes.containers[0]] for axes in figure.axes]
    assert heights[0] == pytest.approx([10, 10, 10, 60, 10])
    assert heights[1] == pytest.approx([25, 25, 25, 25, 0])
    assert depends_on.say(depends(3)) == (
        "What the vector at word 4, 'd', reacts to: in BERT 30% before it, 60% itself, 10% behind "
        "it; in GPT 75% before it, 25% itself, 0% behind it."
    )


def row(causal, norm_first, n=4):
    influence = np.tril(np.ones((n, n))) if causal else np.ones((n, n))
    return SimpleNamespace(
        influence=influence, pairs=float((influence > 0).mean()), kept=float(causal),
        next_seen=1.0 - causal, operations=802_816, top=0.43 if norm_first else 0.96,
    )  # fmt: skip


def switched(causal, norm_first):
    return SimpleNamespace(
        design=SimpleNamespace(causal=causal, norm_first=norm_first, start="xavier"),
        row=row(causal, norm_first),
        bert=row(False, False), gpt=row(True, True),
    )  # fmt: skip


def test_each_row_says_whose_it_is():
    families = {
        (c, n): [family for *_, family in two_switches.rows(switched(c, n))]
        for c in (False, True) for n in (False, True)
    }  # fmt: skip
    assert families[False, False] == ["BERT"] * 3 + ["both", "BERT"]
    assert families[True, False] == ["GPT"] * 3 + ["both", "BERT"]
    assert families[False, True] == ["BERT"] * 3 + ["both", "GPT"]
    assert families[True, True] == ["GPT"] * 3 + ["both", "GPT"]
    assert two_switches.say(switched(True, False)) == (
        "Weights drawn by Xavier. Attention reads only the past, the norm stands behind each "
        "sublayer (like the first GPT, 2018). Rows as BERT's: 1, as GPT's: 3, the same in both: 1."
    )


def test_the_table_follows_the_switches():
    figure, _ = new_figure((9.4, 3.4), 100)
    update = two_switches.draw(figure, switched(False, False))
    before = limits(figure)
    update(switched(True, False))
    assert limits(figure) == before
    shown = [text.get_text() for text in figure.axes[1].texts]
    assert shown.count("62%") == 2 and shown.count("0.96") == 2
    (cells,) = figure.axes[0].collections
    assert cells.get_array().sum() == 10


def test_a_value_of_neither_family_is_said():
    data = switched(False, False)
    data.row.top = 0.7
    assert two_switches.rows(data)[-1][2] == "neither"


def test_jobs_have_a_dot_for_each_family():
    data = {
        "judge": {"BERT": SimpleNamespace(passes=1, tokens=24),
                  "GPT": SimpleNamespace(passes=1, tokens=24)},
        "write": {"BERT": SimpleNamespace(passes=8, tokens=228),
                  "GPT": SimpleNamespace(passes=8, tokens=31)},
    }  # fmt: skip
    figure, _ = new_figure((9, 3), 100)
    jobs.draw(figure, data)
    dots = [line.get_xdata()[0] for line in figure.axes[1].lines]
    assert sorted(dots) == [24, 24, 31, 228]
    assert jobs.say(data).endswith(
        "write: BERT 228 tokens in 8 passes, GPT 31 tokens in 8 passes."
    )


def cost(d_model, n_words):
    seen = 4 * d_model * n_words * (n_words + 1) // 2
    return SimpleNamespace(
        d_model=d_model, n_words=n_words, matrices=24 * n_words * d_model**2, seen=seen,
        hidden=4 * d_model * n_words**2 - seen,
    )  # fmt: skip


@pytest.mark.parametrize(("d_model", "n_words"), [(64, 32), (12_288, 131_072)])
def test_parts_of_a_block_fill_the_bar(d_model, n_words):
    figure, _ = new_figure((9, 3), 100)
    update = hidden_pairs.draw(figure, cost(768, 512))
    before = limits(figure)
    update(data := cost(d_model, n_words))
    assert limits(figure) == before
    bars = figure.axes[0].patches
    for line in (bars[:3], bars[3:]):
        assert sum(bar.get_width() for bar in line) == pytest.approx(100)
    needed = 1 - data.hidden / (data.matrices + data.seen + data.hidden)
    curve, dot = figure.axes[1].lines[-2:]
    assert dot.get_ydata()[0] == pytest.approx(100 * needed)
    at = list(hidden_pairs.LENGTHS).index(n_words)
    assert curve.get_ydata()[at] == pytest.approx(100 * needed)


def test_cost_is_said_in_shares():
    assert hidden_pairs.say(cost(768, 512)) == (
        "Width 768, 512 tokens: pairs take 10.0% of a block's operations, and a causal mask can "
        "save 5.0% of all."
    )


def test_the_race_draws_three_curves():
    history = [SimpleNamespace(step=5, losses={"a": 2.0, "b": 1.0, "c": 0.5})]
    figure, _ = new_figure((9, 3), 100)
    graded_places.draw_for(["a", "b", "c"], 100, 2.77)(figure, history)
    assert [line.get_ydata()[0] for line in figure.axes[0].lines[1:]] == [2.0, 1.0, 0.5]
