import pytest

from course_lib.experiments.settling import flip_coins


def test_shares_are_those_of_the_flips_so_far():
    flips = list(flip_coins(50))
    heads = [round(flip.share * flip.step) for flip in flips]
    assert [flip.step for flip in flips] == list(range(1, 51))
    assert all(later - earlier in (0, 1) for earlier, later in zip(heads, heads[1:], strict=False))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_flips": 0}, "n_flips must be a whole number >= 1, got 0"),
        ({"n_flips": 3, "seconds_per_flip": -1.0}, "seconds_per_flip must be >= 0, got -1.0"),
    ],
)
def test_bad_input_is_named_at_the_call(given, message):
    with pytest.raises(ValueError, match=message):
        flip_coins(**given)
