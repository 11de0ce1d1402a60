"""Randomness of a run: every draw follows from the seed and the step, so nothing else is saved."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch


def seed_for(seed: int, step: int, purpose: str) -> int:
    """Mix seed, step and purpose into one number; neighbours give unrelated ones."""
    digest = hashlib.sha256(f"{seed} {step} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1  # torch takes seeds below 2^63


def generator_for(
    seed: int, step: int, purpose: str, device: torch.device | str = "cpu"
) -> torch.Generator:
    """Make a generator for one purpose within one step."""
    return torch.Generator(device).manual_seed(seed_for(seed, step, purpose))


@contextmanager
def seeded_dropout(seed: int, step: int, device: torch.device) -> Iterator[None]:
    """Let the layers inside draw from (seed, step); the global generator is put back after."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed_for(seed, step, "dropout"))
        yield
