import pytest
import torch

from course_lib.experiments.gradient_flow import build_blocks
from course_lib.experiments.two_switches import (
    BERT,
    DESIGNS,
    GPT,
    Design,
    measured,
    read,
    switched,
)
from course_lib.mechanisms.masks import causal_mask


def test_the_mask_alone_decides_who_knows_what():
    for design in DESIGNS:
        row, n = measured(design, 5), 5
        wanted = causal_mask(n) if design.causal else torch.ones(n, n, dtype=torch.bool)
        assert torch.equal(row.influence > 0, wanted)
        assert row.pairs == pytest.approx((n + 1) / (2 * n) if design.causal else 1)
        assert row.kept == (1 if design.causal else 0)
        assert row.next_seen == (0 if design.causal else 1)


def test_all_four_cost_the_same():
    """Two matrix products of 5 words and 64 numbers for each pair, and 24 d^2 a word."""
    wanted = 24 * 5 * 64**2 + 4 * 5**2 * 64
    assert {measured(design, 5).operations for design in DESIGNS} == {wanted}


def test_the_norm_alone_decides_what_arrives_on_top():
    top = {design: measured(design, 5).top for design in DESIGNS}
    assert all(0.9 < top[design] < 1.1 for design in DESIGNS if not design.norm_first)
    assert all(top[design] < 0.7 for design in DESIGNS if design.norm_first)


def test_drawn_as_gpt_2_the_norm_makes_no_difference_on_top():
    top = [measured(Design(c, n, "scaled"), 5).top for c in (False, True) for n in (False, True)]
    assert all(0.9 < value < 1.1 for value in top)


def test_all_four_have_the_same_weights():
    def weights(design):
        blocks = build_blocks(design.stack(), torch.Generator().manual_seed(3))
        return [p for name, p in blocks.named_parameters() if "norm" not in name]

    first, *others = map(weights, DESIGNS)
    assert all(all(map(torch.equal, first, other)) for other in others)


def test_the_corners_are_bert_and_gpt():
    found = switched(causal=True, norm_first=False, n_words=5)
    assert found.bert is measured(BERT, 5) and found.gpt is measured(GPT, 5)
    assert found.row is measured(Design(True, False), 5)
    drawn = switched(True, True, 5, "scaled")
    assert drawn.row is drawn.gpt and drawn.row is measured(Design(True, True, "scaled"), 5)


def test_read_puts_the_mask_in():
    blocks = build_blocks(BERT.stack(), torch.Generator().manual_seed(0)).requires_grad_(False)
    x = torch.randn(1, 4, 64)
    assert torch.allclose(read(blocks, x, True)[:, :2], read(blocks, x[:, :2], True), atol=1e-5)
    assert not torch.allclose(read(blocks, x, False)[:, :2], read(blocks, x[:, :2], False))


def test_bad_input_is_named(unchecked):
    with pytest.raises(TypeError, match="causal must be True or False"):
        Design(1, True)
    with pytest.raises(ValueError, match="start must be one of .*, got 'kaiming'"):
        Design(True, True, "kaiming")
    with pytest.raises(ValueError, match="n_words must be a whole number >= 2, got 1"):
        measured(BERT, 1)
