import pytest
import torch

from course_lib.experiments.padding import pad, padding_change, padding_changes, small_model

ROUNDING = 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_padding_changes_real_outputs_exactly_where_it_is_read_or_counted(seed):
    found = {(c.model, c.side, c.handling): c.change for c in padding_changes(seed=seed)}
    assert len(found) == 12
    changed = {case for case, change in found.items() if change > ROUNDING}
    assert changed == {
        ("BERT", "right", "nothing"), ("BERT", "left", "nothing"), ("BERT", "left", "mask"),
        ("GPT", "left", "nothing"), ("GPT", "left", "mask"),
    }  # fmt: skip
    assert all(found[case] > 0.1 for case in changed)


def test_padding_is_added_where_it_is_asked_for():
    ids = torch.tensor([[5, 6]])
    longer, real = pad(ids, 3, "left")
    assert longer.tolist() == [[0, 0, 0, 5, 6]]
    assert real.tolist() == [[False, False, False, True, True]]
    longer, real = pad(ids, 1, "right")
    assert longer.tolist() == [[5, 6, 0]] and real.tolist() == [[True, True, False]]


def test_without_padding_nothing_changes():
    assert padding_change("BERT", "right", "mask and positions", n_padding=0) == 0


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary", "none"])
def test_only_positions_that_are_added_notice_a_shift(positions):
    change = padding_change("GPT", "left", "mask", positions=positions)
    assert (change > 0.5) == (positions in ("learned", "sinusoidal"))
    assert change > 0.5 or change < ROUNDING
    counted = padding_change("GPT", "left", "mask and positions", positions=positions)
    assert counted < ROUNDING


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="positions of a BERT are learned, got 'rotary'"):
        small_model("BERT", positions="rotary")
    with pytest.raises(ValueError, match="kind must be BERT or GPT, got 'T5'"):
        small_model("T5")
    with pytest.raises(ValueError, match="side must be left or right, got 'top'"):
        padding_change("GPT", "top", "nothing")
    with pytest.raises(ValueError, match="handling must be one of .* got 'luck'"):
        padding_change("GPT", "left", "luck")
    with pytest.raises(ValueError, match="n_padding must be a whole number >= 0, got -1"):
        pad(torch.ones(1, 2, dtype=torch.long), -1, "left")
