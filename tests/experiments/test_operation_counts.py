import pytest

from course_lib.config import GPTConfig
from course_lib.experiments.operation_counts import (
    budget,
    counted_operations,
    operations,
    share_of_pairs,
)
from course_lib.models.gpt import GPT

CONFIG = GPTConfig(11, 9, d_model=12, n_layers=3, n_heads=4, d_head=5, d_ff=20, n_kv_heads=2)


@pytest.mark.parametrize(("n_new", "n_seen"), [(1, 0), (7, 0), (1, 8), (3, 5)])
def test_what_is_worked_out_is_what_pytorch_counts(n_new, n_seen):
    counted = counted_operations(GPT(CONFIG), n_new, n_seen)
    assert sum(operations(CONFIG, n_new, n_seen).values()) == counted


def test_reading_anew_costs_as_many_times_as_there_are_tokens():
    anew = operations(CONFIG, 7)
    kept = operations(CONFIG, 1, 6)
    assert {part: 7 * count for part, count in kept.items()} == anew


@pytest.mark.parametrize(("width", "tokens"), [(768, 128), (768, 512), (768, 4608), (12288, 1024)])
def test_the_share_of_pairs_is_the_closed_form(width, tokens):
    assert share_of_pairs(width, tokens) == pytest.approx(4 * tokens / (24 * width + 4 * tokens))


def test_gpt_2_s_parts():
    found = budget(12, 768, 50_257, 1024)
    norms = 25 * 2 * 768
    assert sum(found.parameters.values()) == 124_439_808 - norms
    assert found.parameters["tables"] == (50_257 + 1024) * 768
    assert found.operations["feed_forward"] == 2 * found.operations["attention"]
    assert found.operations["pairs"] == 12 * 4 * 1024**2 * 768


def test_pairs_overtake_at_two_four_and_six_widths():
    for tokens, parts in ((2, ["attention"]), (4, ["feed_forward"]),
                          (6, ["attention", "feed_forward"])):  # fmt: skip
        counts = budget(1, 128, 10, tokens * 128).operations
        assert counts["pairs"] == sum(counts[part] for part in parts)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_new must be a whole number >= 1, got 0"):
        operations(CONFIG, 0)
    with pytest.raises(ValueError, match="n_seen must be a whole number >= 0, got -1"):
        counted_operations(GPT(CONFIG), 1, -1)
