"""``python -m course_lib bench optimizer``: our AdamW's update against torch's."""

import statistics
from collections.abc import Callable, Iterator

import torch

from course_lib.bench.rounds import Comparison, compare
from course_lib.config import tiny_gpt
from course_lib.models.gpt import GPT
from course_lib.optim.adamw import AdamW

WAYS = {"its default": {}, "for-loop": {"foreach": False}, "fused": {"fused": True}}


def run(n_rounds: int, n_steps: int) -> int:
    """Measure and print; 1 when ours is more than a tenth slower than torch's default, else 0."""
    print("AdamW's update alone, on the GPT of 4 layers and width 128; torch.optim.AdamW in "
          f"{len(WAYS)} ways; {n_rounds} interleaved rounds of {n_steps} updates")  # fmt: skip
    slow = False
    for way, result in _compared(n_rounds, n_steps):
        print(report(way, result), flush=True)
        slow |= way == "its default" and result.median_ratio < 0.9
    return int(slow)


def comparisons(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Yield each way of torch's and the speeds of both."""
    for way, result in _compared(n_rounds, n_steps):
        yield f"AdamW's update against torch's, {way}", result


def _compared(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Time ours against each way of torch's."""
    for way, options in WAYS.items():
        ours, theirs = prepared(AdamW).step, prepared(torch.optim.AdamW, **options).step
        yield way, compare(
            ours, theirs, tokens=1, n_rounds=n_rounds, n_steps=n_steps, n_warm_up=min(n_steps, 5)
        )


def report(way: str, result: Comparison) -> str:
    """Say in a line how fast both were, and how sure that is."""
    ours, theirs = (1000 / statistics.median(side) for side in (result.ours, result.theirs))
    return (f"against {way:<11} {ours:6.2f} ms ours, {theirs:6.2f} ms torch's; "
            f"speed ours / theirs: {result.spread}")  # fmt: skip


def prepared(make: Callable[..., torch.optim.Optimizer], **options) -> torch.optim.Optimizer:
    """An optimiser with gradients that stay; the same for every maker."""
    draws = torch.Generator().manual_seed(0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = GPT(tiny_gpt())
    for weights in model.parameters():
        weights.grad = torch.randn(weights.shape, generator=draws)
    return make(model.parameters(), lr=1e-4, weight_decay=0.1, **options)
