"""Lesson 33's exercises: other right ways pass, and what is foretold is what autograd finds."""

import pytest
import torch

from course_lib.checks.lesson_33 import gradient_sizes, stream_parts
from course_lib.mechanisms.norms import layer_norm


def test_other_right_ways_to_take_the_stream_apart():
    def by_differences(x, attention, feed_forward):
        places = [x]
        for pair in zip(attention, feed_forward, strict=True):
            for matrix in pair:
                places.append(places[-1] + layer_norm(places[-1], eps=0.0) @ matrix)
        stream = torch.stack(places)
        return torch.cat([stream[:1], stream.diff(dim=0)])

    assert stream_parts.judge(by_differences).passed


def test_other_right_ways_to_foretell():
    def at_once(added, returns, norm_first):
        below = 1 + added.cumsum(0) - added
        squares = 1 + returns * added / below if norm_first else (1 + returns * added) / (1 + added)
        sizes = squares.flip(0).cumprod(0).flip(0).sqrt()
        return torch.cat([sizes, sizes.new_ones(1)])

    assert gradient_sizes.judge(at_once).passed


@pytest.mark.parametrize("norm_first", [True, False])
def test_what_is_foretold_is_what_autograd_finds(norm_first):
    added, returns = [0.5, 2.0, 1.0, 3.0], [1, 0, 1, 1]
    generator = torch.Generator().manual_seed(0)
    places = [torch.randn(64, 512, generator=generator).requires_grad_()]
    for variance, reads in zip(added, returns, strict=True):
        matrix = torch.randn(512, 512, generator=generator) * (variance / 512) ** 0.5
        x = places[-1]
        read = layer_norm(x) if norm_first else x
        fresh = torch.randn(64, 512, generator=generator)
        total = x + (read if reads else fresh) @ matrix
        places.append(total if norm_first else layer_norm(total))
    up = torch.randn(64, 512, generator=generator)
    found = [g.norm() for g in torch.autograd.grad(places[-1], places, up)]
    if not norm_first:  # the last place lies behind the last norm, in the exercise as here
        assert found[-1] == up.norm()
    wanted = gradient_sizes.reference(
        torch.tensor(added), torch.tensor(returns).float(), norm_first
    )
    torch.testing.assert_close(torch.stack(found) / found[-1], wanted, rtol=0.05, atol=0)
