"""The figures of lesson 52 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import cache_growth, operation_budget, paging, step_times
from course_lib.plots.style import new_figure


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


def memory(block_size=4, shift=0):
    owners = np.full(512, -1)
    owners[shift : shift + 8] = [0, 0, 0, 0, 1, 1, 1, 1]
    filled = np.zeros(512, bool)
    filled[shift : shift + 3] = filled[shift + 4] = True
    shares = np.linspace(1, 0.1, 12)
    share = float(shares[int(np.log2(block_size))])
    return SimpleNamespace(
        block_size=block_size, owners=owners, filled=filled, n_texts=2, entries=2,
        shares=shares, share=share,
    )  # fmt: skip


def test_every_place_has_the_colour_of_what_stands_there():
    figure, _ = new_figure((9, 3.6), 100)
    update = paging.draw(figure, memory())
    before = limits(figure)
    changed = update(memory(256, shift=256))
    assert limits(figure) == before
    cells = figure.axes[0].images[0].get_array()
    assert cells.shape == (2, 256) and (cells[0] == paging.FREE).all()
    assert cells[1, :4].tolist() == [paging.MINE] * 3 + [paging.EMPTY]
    assert cells[1, 4] > paging.MINE and cells[1, 5:8].tolist() == [paging.EMPTY] * 3
    mark = changed[3]
    assert mark.get_xdata() == [256] and mark.get_ydata()[0] == pytest.approx(memory(256).share)


def test_paging_says_how_many_texts_have_room():
    assert paging.say(memory(1)) == (
        "Blocks of 1: 2 texts have room in 512 places, in 2 blocks. Over many such texts, 100.0% "
        "of the places reserved hold a token."
    )


GIB = 2**30


def growth(cache=3 * GIB, n_texts=2, n_kv_heads=8, n_bytes=2):
    return SimpleNamespace(
        n_tokens=512, n_texts=n_texts, n_kv_heads=n_kv_heads, bytes_per_number=n_bytes,
        weights=24 * GIB, cache=cache, memory=40 * GIB, anew=int(1.28e13), kept=int(2.5e10),
    )  # fmt: skip


def test_cells_of_the_memory_are_as_many_as_there_are_bytes():
    figure, _ = new_figure((9, 3.2), 100)
    update = cache_growth.draw(figure, growth())
    before = limits(figure)
    image = figure.axes[0].images[0]
    wanted = {cache_growth.WEIGHTS: 24 * 8, cache_growth.KEYS: 12, cache_growth.VALUES: 12}
    for kind, cells in wanted.items():
        assert (image.get_array() == kind).sum() == cells
    update(growth(cache=100 * GIB))
    assert (image.get_array() == cache_growth.FREE).sum() == 4 * 8
    assert limits(figure) == before


def test_weights_keys_and_values_follow_each_other_column_by_column():
    figure, _ = new_figure((9, 3.2), 100)
    cache_growth.draw(figure, growth())
    cells = figure.axes[0].images[0].get_array()
    assert (cells[:, 11] == cache_growth.WEIGHTS).all()
    assert cells[-1, 12] == cache_growth.KEYS and cells[0, 12] == cache_growth.VALUES
    assert (cells[:, 14] == cache_growth.FREE).all()


def test_growth_says_whether_it_fits():
    assert cache_growth.say(growth()) == (
        "2 texts of 512 tokens, 8 heads of keys and values, 2 bytes a number: the cache takes "
        "3 GiB, the weights 24.0 GiB, which fits. The next token takes 12,800 billion operations "
        "when all is read anew and 25 billion with the cache: 512 times fewer."
    )
    one = cache_growth.say(growth(cache=20 * GIB, n_texts=1, n_kv_heads=1, n_bytes=1))
    assert one.startswith("1 text of 512 tokens, 1 head of keys and values, 1 byte a number")
    assert "4.0 GiB more than the card has" in one


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(100, "100 bytes"), (10 * 1024, "10 KiB"), (1023 * 1024, "1023 KiB"), (1.5 * GIB, "1.5 GiB")],
)
def test_sizes_are_in_the_unit_that_is_easy_to_read(n_bytes, text):
    assert cache_growth._size(n_bytes) == text


def parts(width=8, tokens=96):
    return SimpleNamespace(
        config=SimpleNamespace(n_layers=2, d_model=width, vocab_size=100, max_seq_len=tokens),
        parameters={"tables": 50, "attention": 20, "feed_forward": 30},
        operations={"attention": 1_000_000, "feed_forward": 2_000_000, "pairs": 1_000_000,
                    "tables": 4_000_000},
    )  # fmt: skip


def test_the_parts_of_a_budget_fill_the_bars():
    figure, _ = new_figure((9, 3.4), 100)
    update = operation_budget.draw(figure, parts())
    before = limits(figure)
    left, right = figure.axes
    ends = [bar.get_x() + bar.get_width() for bar in left.patches]
    assert ends == pytest.approx([0.5, 0.7, 1, 1, 0.5, 0.625, 0.875, 1])
    update(parts(128, 1024))
    assert limits(figure) == before
    mark = right.lines[2]
    assert mark.get_xdata()[0] == 1024
    assert mark.get_ydata()[0] == pytest.approx(1024 / (6 * 128 + 1024))


def test_budget_says_every_share():
    assert operation_budget.say(parts()) == (
        "2 blocks of width 8, 100 tokens in the vocabulary, 96 in the text. 100 parameters: table "
        "of tokens (and positions) 50.0%, attention's matrices 20.0%, feed-forward layers 30.0%. "
        "8 million operations: attention's matrices 12.5%, feed-forward layers 25.0%, scores and "
        "mixes: pairs of positions 12.5%, table of tokens (and positions) 50.0%."
    )


def test_both_times_are_there_in_milliseconds():
    times = SimpleNamespace(lengths=(64, 512), anew=[0.004, 0.032], kept=[0.001, 0.002])
    figure, _ = new_figure((7, 3.2), 100)
    step_times.draw(figure, times)
    (axes,) = figure.axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[4, 32], [1, 2]]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert step_times.say(times) == (
        "From 64 to 512 tokens, one more token takes 4.0 to 32.0 ms when all is read anew, and "
        "1.0 to 2.0 ms with the cache."
    )
