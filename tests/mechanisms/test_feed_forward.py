import pytest
import torch

from course_lib.mechanisms.feed_forward import FeedForward


def test_positions_do_not_see_each_other():
    layer = FeedForward(4, 8)
    x = torch.randn(2, 5, 4)
    torch.testing.assert_close(layer(x)[:, 3], layer(x[:, 3]))


def test_bad_input_is_named(as_shipped):
    with pytest.raises(ValueError, match="d_ff must be a whole number >= 1, got 0"):
        FeedForward(4, 0)
    with pytest.raises(TypeError, match="activation must be a function, got 'gelu'"):
        as_shipped(FeedForward.__init__)(FeedForward(4, 8), 4, 8, "gelu")
    with pytest.raises(ValueError, match=r"x must be 4 wide, got shape \(2, 3\)"):
        as_shipped(FeedForward.forward)(FeedForward(4, 8), torch.zeros(2, 3))
