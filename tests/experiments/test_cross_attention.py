"""In a Post-LN decoder with cross-attention the gradient decays; in the others it does not."""

import pytest

from course_lib.experiments.cross_attention import decoder_flow


def test_the_rate_is_what_the_norm_divides_by():
    deep = decoder_flow("Post-LN", depth=10, width=64, memory="alike")
    law = (1 + deep.added[1:]).log().mean().mul(-0.5).exp().item()
    assert deep.rate() == pytest.approx(law, rel=0.05) and 0.6 < law < 0.8
    assert deep.flow.bottom_over_top("W2") < 0.1


def test_a_smaller_gain_decays_slower_by_the_same_law():
    deep = decoder_flow("Post-LN", depth=10, width=64, memory="alike", gain=0.8)
    law = (1 + deep.added[1:]).log().mean().mul(-0.5).exp().item()
    assert deep.rate() == pytest.approx(law, rel=0.05) and law > 0.8


def test_an_encoder_hands_over_tokens_that_are_alike():
    deep = decoder_flow("Post-LN", depth=10, width=64, memory="encoder")
    assert deep.rate() < 0.8 and deep.flow.weights.shape == (10, 6)


def test_no_decay_without_one_of_the_two():
    independent = decoder_flow("Post-LN", depth=10, width=64, memory="independent")
    assert independent.added.mean() < 0.2 and independent.rate() > 0.95
    assert decoder_flow("Pre-LN", depth=10, width=64, memory="alike").rate() > 1


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="memory must be one of .* got 'none'"):
        decoder_flow("Post-LN", memory="none")
    with pytest.raises(ValueError, match="depth must be a whole number >= 2, got 1"):
        decoder_flow("Post-LN", depth=1)
