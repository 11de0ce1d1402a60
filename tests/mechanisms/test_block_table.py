"""Texts in blocks read back as they were written, whatever the order of events."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.block_table import BlockPool

WIDTH = 3
EVENTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.booleans()), max_size=25)


def rows(n, seed=0, width=WIDTH):
    return torch.randn(n, width, generator=torch.Generator().manual_seed(seed))


@given(EVENTS, st.integers(1, 5), st.integers(1, 12))
def test_any_order_of_writing_and_releasing(events, block_size, n_blocks):
    pool, wanted = BlockPool(n_blocks, block_size, WIDTH), {}
    for number, (text, n, release) in enumerate(events):
        if release and text in wanted:
            pool.release(text)
            del wanted[text]
            continue
        new = rows(n, number)
        both = torch.cat([wanted.get(text, new[:0]), new])
        held = sum(-(-len(w) // block_size) for t, w in wanted.items() if t != text)
        if held + -(-len(both) // block_size) > n_blocks:
            with pytest.raises(ValueError, match="are free"):
                pool.append(text, new)
        else:
            pool.append(text, new)
            wanted[text] = both
        assert pool.tables.keys() == wanted.keys()
        assert all(torch.equal(pool.read(t), w) for t, w in wanted.items())
        taken = [block for table in pool.tables.values() for block in table]
        assert len(taken) == len(set(taken)) == n_blocks - pool.n_free  # nobody shares
        for t, w in wanted.items():  # and no text holds a block that it does not need
            assert len(pool.tables[t]) == -(-len(w) // block_size)


def test_row_i_lies_where_the_table_says():
    pool = BlockPool(6, 2, WIDTH)
    for i in range(5):  # two texts take blocks in turn
        pool.append("a", rows(5)[i : i + 1])
        pool.append("b", rows(5, 1)[i : i + 1])
    assert pool.tables == {"a": [0, 2, 4], "b": [1, 3, 5]}
    for i in range(5):
        where = pool.memory[pool.tables["a"][i // 2], i % 2]
        assert torch.equal(where, rows(5)[i])


def test_attention_over_blocks_is_attention_over_the_rows():
    pool = BlockPool(9, 4, 2 * WIDTH)
    keys_and_values = rows(13, width=2 * WIDTH)
    for i, row in enumerate(keys_and_values.split(1)):
        pool.append("mine", row)
        if i % 3 == 0:
            pool.append("another", row)
    k, v = pool.read("mine").split(WIDTH, dim=-1)
    q = rows(2, 5)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q, keys_and_values[:, :WIDTH], keys_and_values[:, WIDTH:]
    )
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v).z, wanted)


def test_what_is_read_is_a_copy():
    pool = BlockPool(2, 2, WIDTH)
    pool.append(0, rows(3))
    pool.read(0).zero_()
    assert torch.equal(pool.read(0), rows(3))


def test_a_text_without_rows_holds_no_block():
    pool = BlockPool(2, 2, WIDTH)
    pool.append("empty", rows(0))
    assert pool.n_free == 2 and pool.read("empty").shape == (0, WIDTH)


def test_numbers_are_kept_in_the_pool_s_dtype():
    pool = BlockPool(2, 2, WIDTH, dtype=torch.float16)
    pool.append("half", rows(1))
    assert torch.equal(pool.read("half"), rows(1).half())


def test_bad_input_is_named(as_shipped):
    pool = as_shipped(BlockPool)(2, 2, WIDTH)
    append = as_shipped(BlockPool.append)
    with pytest.raises(ValueError, match="rows must be 3 wide, got shape"):
        append(pool, "a", rows(2, width=4))
    with pytest.raises(ValueError, match=r"rows must be \[new, width\], got shape \(3,\)"):
        append(pool, "a", rows(1)[0])
    with pytest.raises(TypeError, match="rows must hold floating-point numbers"):
        append(pool, "a", torch.zeros(1, WIDTH, dtype=torch.int64))
    with pytest.raises(ValueError, match="need 3 more blocks of 2, and 2 of 2 are free"):
        append(pool, "a", rows(5))
    assert pool.tables == {} and pool.n_free == 2
    for use in (pool.read, pool.release):
        with pytest.raises(ValueError, match=r"text must be one of \[\], got 'nobody'"):
            use("nobody")
    with pytest.raises(ValueError, match="block_size must be a whole number >= 1, got 0"):
        BlockPool(2, 0, WIDTH)
