"""Lesson 33's exercises: other right ways pass, and what is foretold is what autograd finds."""

import math

import pytest
import torch
from torch.nn.functional import layer_norm as torch_layer_norm

from course_lib.checks.lesson_33 import gradient_sizes, stream_parts
from course_lib.mechanisms.norms import layer_norm


def by_moments(x):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x.square().mean(-1, keepdim=True) - mean.square()).sqrt()


NORMS = {
    "var, biased": lambda x: (
        (x - x.mean(-1, keepdim=True)) / x.var(-1, unbiased=False, keepdim=True).sqrt()
    ),
    "std": lambda x: (x - x.mean(-1, keepdim=True)) / x.std(-1, correction=0, keepdim=True),
    "moments": by_moments,
    "torch": lambda x: torch_layer_norm(x, x.shape[-1:], eps=0.0),
    "library": lambda x: layer_norm(x, eps=0.0),
    "unsqueezed": lambda x: (x - x.mean(-1)[:, None]) / x.var(-1, correction=0)[:, None].sqrt(),
    "rows": lambda x: torch.stack([(row - row.mean()) / row.std(correction=0) for row in x]),
}
SUMS = {
    "sum": sum,
    "stack": lambda parts: torch.stack(parts).sum(0),
    "cumsum": lambda parts: torch.stack(parts).cumsum(0)[-1],
}


@pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
@pytest.mark.parametrize("add", SUMS.values(), ids=SUMS)
def test_every_usual_norm_and_sum_passes(norm, add):
    def parts(x, attention, feed_forward):
        found = [x]
        for layer in range(len(attention)):
            for matrix in (attention[layer], feed_forward[layer]):
                found.append(norm(add(found)) @ matrix)
        return torch.stack(found)

    assert stream_parts.judge(parts).passed


@pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
def test_a_running_sum_passes(norm):
    def parts(x, attention, feed_forward):
        found, stream = [x], x
        for A, F in zip(attention, feed_forward, strict=True):
            found.append(torch.einsum("sd,de->se", norm(stream), A))
            stream = stream + found[-1]
            found.append(norm(stream).matmul(F))
            stream = stream + found[-1]
        return torch.cat([part.unsqueeze(0) for part in found])

    assert stream_parts.judge(parts).passed


def test_differences_of_the_stream_pass():
    def by_differences(x, attention, feed_forward):
        places = [x]
        for pair in zip(attention, feed_forward, strict=True):
            for matrix in pair:
                places.append(places[-1] + layer_norm(places[-1], eps=0.0) @ matrix)
        stream = torch.stack(places)
        return torch.cat([stream[:1], stream.diff(dim=0)])

    assert stream_parts.judge(by_differences).passed


@pytest.mark.parametrize("eps", [1e-5, 1e-6, 1e-12])
def test_an_eps_is_heard_of_when_it_shows(eps):
    def parts(x, attention, feed_forward):
        found = [x]
        for pair in zip(attention, feed_forward, strict=True):
            for matrix in pair:
                found.append(torch_layer_norm(sum(found), x.shape[-1:], eps=eps) @ matrix)
        return torch.stack(found)

    outcome = stream_parts.judge(parts)
    assert outcome.passed == (eps < 1e-6)
    assert ("eps" in outcome.message) == (eps == 1e-5)


def at_once(added, returns, norm_first):
    below = 1 + added.cumsum(0) - added
    squares = 1 + returns * added / below if norm_first else (1 + returns * added) / (1 + added)
    sizes = squares.flip(0).cumprod(0).flip(0).sqrt()
    return torch.cat([sizes, sizes.new_ones(1)])


def with_a_list(added, returns, norm_first):
    sizes, spread = [1.0], 1.0 + added.sum().item()
    for v, r in zip(added.tolist()[::-1], returns.tolist()[::-1], strict=True):
        spread -= v
        way_back = v if r else 0.0
        square = 1 + way_back / spread if norm_first else (1 + way_back) / (1 + v)
        sizes.insert(0, sizes[0] * math.sqrt(square))
    return torch.tensor(sizes, dtype=added.dtype)


def in_logarithms(added, returns, norm_first):
    return at_once(added, returns, norm_first).log().exp()


@pytest.mark.parametrize("right", [at_once, with_a_list, in_logarithms])
def test_other_right_ways_to_foretell(right):
    assert gradient_sizes.judge(right).passed


def test_a_list_made_into_a_tensor_hears_of_its_dtype():
    outcome = gradient_sizes.judge(lambda *inputs: torch.tensor(with_a_list(*inputs).tolist()))
    assert not outcome.passed and "dtype" in outcome.message


def test_following_the_spread_alone_is_named():
    def spread(added, returns, norm_first):
        if not norm_first:
            return at_once(added, returns, False)
        variance = torch.cat([added.new_ones(1), 1 + added.cumsum(0)])
        return (variance[-1] / variance).sqrt()

    assert "returns none widens" in gradient_sizes.judge(spread).message


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
