"""The figures of lesson 52 show the numbers, and their limits stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import paging
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
