"""Lesson 52's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import math

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_52 import cache_bytes, from_blocks, read_on
from course_lib.mechanisms.block_table import BlockPool


def by_torch(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number):
    keys = torch.empty(n_layers, n_tokens, n_kv_heads, d_model // n_heads, device="meta")
    return 2 * keys.numel() * bytes_per_number


def by_floats(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number):
    return 2 * n_layers * (n_kv_heads / n_heads * d_model) * n_tokens * bytes_per_number


@pytest.mark.parametrize("right", [by_torch, by_floats])
def test_other_right_ways_to_count(right):
    assert cache_bytes.judge(right).passed


def by_loop(memory, table, length):
    size = memory.shape[1]
    return torch.stack([memory[table[i // size], i % size] for i in range(length)])


def by_numpy(memory, table, length):
    blocks = memory.numpy()[table.numpy()]
    return blocks.reshape(-1, blocks.shape[-1])[:length]


def by_cat(memory, table, length):
    return torch.cat([memory[block] for block in table.tolist()])[:length]


def by_places(memory, table, length):
    places = torch.arange(length)
    return memory[table[places // memory.shape[1]], places % memory.shape[1]]


@pytest.mark.parametrize("right", [by_loop, by_numpy, by_cat, by_places])
def test_other_right_ways_to_read_blocks(right):
    assert from_blocks.judge(right).passed


def test_the_task_s_table_is_that_of_the_course():
    pool = BlockPool(6, 2, 3)
    rows = torch.randn(5, 3)
    for i in range(5):
        pool.append("a", rows[i : i + 1])
        pool.append("b", -rows[i : i + 1])
    table = torch.tensor(pool.tables["a"])
    assert torch.equal(from_blocks.reference(pool.memory, table, 5), rows)


def by_torch_s_attention(x, positions, w_q, w_k, w_v, keys, values):
    seen, new = len(keys), len(x)
    x = x + positions[seen:][:new]
    keys, values = torch.vstack([keys, x @ w_k]), torch.vstack([values, x @ w_v])
    mask = torch.arange(seen + new) <= seen + torch.arange(new)[:, None]
    mix = torch.nn.functional.scaled_dot_product_attention(x @ w_q, keys, values, attn_mask=mask)
    return mix, keys, values


def token_by_token(x, positions, w_q, w_k, w_v, keys, values):
    mixes = []
    for token in x:
        token = token + positions[len(keys)]
        keys = torch.cat([keys, (token @ w_k)[None]])
        values = torch.cat([values, (token @ w_v)[None]])
        shares = torch.softmax(keys @ (token @ w_q) / math.sqrt(len(w_k[0])), dim=0)
        mixes.append(shares @ values)
    return torch.stack(mixes), keys, values


def with_minus_1e9(x, positions, w_q, w_k, w_v, keys, values):
    seen, new = keys.shape[0], x.shape[0]
    x = x + positions[torch.arange(seen, seen + new)]
    keys, values = torch.cat((keys, x @ w_k), 0), torch.cat((values, x @ w_v), 0)
    scores = torch.einsum("id,jd->ij", x @ w_q, keys) * keys.shape[-1] ** -0.5
    hidden = torch.triu(torch.ones_like(scores), diagonal=seen + 1)
    shares = (scores - 1e9 * hidden).softmax(-1)
    return shares @ values, keys, values


@pytest.mark.parametrize("right", [by_torch_s_attention, token_by_token, with_minus_1e9])
def test_other_right_repairs(right):
    assert read_on.judge(right).passed


def test_pieces_read_on_give_what_the_whole_gives():
    (case,) = [c for c in read_on.cases if c.inputs["keys"].shape[0] == 0]
    x, *rest, keys, values = case.copies()
    whole, all_keys, _ = read_on.reference(x, *rest, keys, values)
    mixes = []
    for piece in x.split([1, 2, 1]):
        mix, keys, values = read_on.reference(piece, *rest, keys, values)
        mixes.append(mix)
    torch.testing.assert_close(torch.cat(mixes), whole)
    torch.testing.assert_close(keys, all_keys)


def test_torch_s_own_flag_has_the_fault_of_the_mask():
    """What the explanation says of `is_causal` when there are more keys than queries."""
    q, keys = torch.randn(1, 4), torch.randn(3, 4)
    flagged = torch.nn.functional.scaled_dot_product_attention(q, keys, keys, is_causal=True)
    torch.testing.assert_close(flagged, keys[:1])


@pytest.mark.parametrize(
    ("old", "new", "said", "unsaid"),
    [
        ("+ seen - 1", "+ seen", "keys of the *cache*", "place of the last"),
        (".tril()", ".tril(seen)", "place of the last one seen", "*cache*"),
        (".tril()", ".tril(diagonal=seen - 1)", "does not see itself", "*cache*"),
        ("+ seen - 1", "", "from 0 again", "leave out"),
        (
            "torch.arange(new) + seen - 1",
            "(torch.arange(new) + seen - 1).clamp(min=0)",
            "keep -1 from reaching",
            "leave out",
        ),
        (".tril()", ".tril(new)", "number of the *new* tokens", "*cache*"),
        ("+ seen - 1]", "+ seen].clone()", "keys of the *cache*", "place of the last"),
    ],
)
def test_half_way_repairs_hear_what_is_left(old, new, said, unsaid, tmp_path):
    source = read_on.source(read_on.stub)
    assert old in source
    file = tmp_path / "half.py"
    file.write_text("import math\nimport torch\n" + source.replace(old, new), encoding="utf8")
    space = {}
    exec(compile(file.read_text(encoding="utf8"), str(file), "exec"), space)
    outcome = read_on.judge(space["read_on"])
    assert outcome.kind == "failed"
    assert said in outcome.message and unsaid not in outcome.message


def test_numpy_rows_of_a_wrong_order_are_named():
    def sorted_first(memory, table, length):
        return memory.numpy()[np.sort(table.numpy())].reshape(-1, memory.shape[2])[:length]

    assert from_blocks.judge(sorted_first).mistake == "in the order of memory"
