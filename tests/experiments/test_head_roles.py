import math

import pytest
import torch

from course_lib.experiments.head_outputs import without_heads
from course_lib.experiments.head_roles import (
    MEASURES,
    _places,
    _share,
    attention_maps,
    copying_loss,
    effects_of_heads,
    glance,
    head_roles,
    reading_accuracy,
    reading_loss,
    trained_copier,
    trained_reader,
)
from course_lib.experiments.six_or_nine import FIRST_SCORED, SEQ_LEN, draw_texts


@pytest.fixture(scope="module")
def reader():
    return trained_reader(seed=1)


@pytest.fixture(scope="module")
def roles(reader):
    return head_roles(reader)


def test_marked_places_hold_the_letter_that_comes_next():
    token_ids, targets, lengths = draw_texts(torch.Generator().manual_seed(0))
    right, other = _places(lengths)
    assert right.shape == other.shape == (32, SEQ_LEN, SEQ_LEN)
    assert not (right & other).any()
    for text, query, key in right.nonzero().tolist():
        assert key <= query
        if query >= FIRST_SCORED:
            assert token_ids[text, key] == targets[text, query]
    last = right[:, -1].sum(dim=-1)
    assert last.tolist() == [3 - 1 if n == 6 else 1 for n in lengths.tolist()]
    assert ((right | other)[:, -1].sum(dim=-1) == 3).all()  # 5, 8 and 11 back


def test_a_share_is_that_of_the_marked_keys_of_scored_queries():
    maps = torch.full((1, 2, 1, SEQ_LEN, SEQ_LEN), 0.25)
    maps[:, :, :, :FIRST_SCORED] = 9
    keys = torch.zeros(SEQ_LEN, SEQ_LEN, dtype=torch.bool)
    keys[:, :2] = True
    assert _share(maps, keys).tolist() == [[0.5]]


def test_maps_are_what_the_model_uses(reader):
    token_ids, *_ = draw_texts(torch.Generator().manual_seed(3), 2)
    maps = attention_maps(reader, token_ids)
    assert maps.shape == (2, 2, 4, SEQ_LEN, SEQ_LEN)
    torch.testing.assert_close(maps.sum(dim=-1), torch.ones(2, 2, 4, SEQ_LEN))
    assert (maps.triu(1) == 0).all()
    seen = []
    block = reader.blocks[1]
    hook = block.attn.register_forward_pre_hook(lambda attn, args: seen.append(args[:2]))
    with torch.no_grad():
        reader(token_ids)
    hook.remove()
    torch.testing.assert_close(maps[1], block.attn.attend(*seen[0]).probs)


def test_first_block_looks_at_both_places_and_matters(roles):
    first, second = roles.effects
    assert first.min() > 0.2 and second.abs().max() < 0.1
    assert roles.induction[0].min() > 0.4 and roles.other[0].min() > 0.4
    assert roles.previous[0].max() < 0.05
    torch.testing.assert_close(roles.by_distance.sum(dim=-1), torch.ones(2, 4))


def test_effects_are_differences_of_losses(reader, roles):
    silenced = reading_loss(without_heads(reader, (0, 2)))
    assert roles.effects[0, 2].item() == pytest.approx(silenced - roles.loss, abs=1e-5)
    assert roles.loss == reading_loss(reader) != reading_loss(reader, seed=1)
    assert 0.7 < roles.accuracy < 1
    assert roles.accuracy == reading_accuracy(reader)
    fewer = reading_accuracy(without_heads(reader, (0, 2))) - roles.accuracy
    assert effects_of_heads(reader, reading_accuracy)[0, 2].item() == pytest.approx(fewer)
    assert fewer < -0.1


def test_heads_of_the_first_block_do_not_know_the_word(reader, roles):
    assert roles.word_gap.shape == (2, 4) and roles.word_gap[0].abs().max() < 0.03
    token_ids, _, lengths = draw_texts(torch.Generator().manual_seed(1000), 256)
    maps = attention_maps(reader, token_ids)
    shares = maps.diagonal(-8, dim1=-2, dim2=-1)[..., FIRST_SCORED - 8 :].mean(dim=-1)
    gap = shares[:, lengths == 9].mean(dim=1) - shares[:, lengths == 6].mean(dim=1)
    torch.testing.assert_close(roles.word_gap, gap)


def test_twins_replace_each_other_in_the_copier():
    model = trained_copier(seed=0)
    whole, effects = copying_loss(model), effects_of_heads(model, copying_loss)
    assert effects.shape == (1, 4) and effects.max() < 0.2
    assert copying_loss(without_heads(model, *((0, h) for h in range(4)))) - whole > 3


def test_glance_shows_one_text_and_the_measure_asked_for(reader, roles):
    for measure in MEASURES:
        seen = glance(reader, roles, 9, measure)
        assert seen.maps.shape == (2, 4, SEQ_LEN, SEQ_LEN) and seen.numbers.shape == (2, 4)
        assert len(seen.text) == SEQ_LEN and seen.text[9:] == seen.text[: SEQ_LEN - 9]
    assert torch.equal(glance(reader, roles, 6, "effect").numbers, roles.effects)
    six = glance(reader, roles, 6, "spread")
    assert (six.numbers >= 1).all() and (six.numbers <= SEQ_LEN).all()
    assert six.text[6:12] == six.text[:6]


def test_spread_of_equal_shares_is_their_number():
    assert math.exp(torch.special.entr(torch.full((5,), 0.2)).sum()) == pytest.approx(5)


def test_bad_choices_are_named(reader, roles):
    with pytest.raises(ValueError, match=r"length must be one of \(6, 9\), got 7"):
        glance(reader, roles, 7, "spread")
    with pytest.raises(ValueError, match="measure must be one of .* got 'size'"):
        glance(reader, roles, 6, "size")
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        trained_reader(n_steps=0)
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        trained_copier(n_steps=0)
