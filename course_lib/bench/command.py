"""The command: run the comparison and print what was measured, on which machine."""

import argparse
import os
import statistics

import torch
from torch import Tensor

from course_lib.bench import decoding, optimizer, tokenizers
from course_lib.bench.rivals import both
from course_lib.bench.rounds import Comparison, compare
from course_lib.config import TrainConfig
from course_lib.data.byte_ids import byte_ids
from course_lib.data.corpora import python_text
from course_lib.training.loop import learning_rate, update
from course_lib.training.state import TrainState
from course_lib.training.tasks import NextToken

_MISSING = (
    "bench compares our GPT with the one of Hugging Face transformers, which is not installed.\n"
    'It is part of the extra "test": python -m pip install -e ".[test]"'
)


def main(argv: list[str]) -> int:
    """Measure and print; 0 when ours is fast enough, 1 when not, 2 without a rival."""
    options = _parser().parse_args(argv)
    for name in ("threads", "rounds", "steps"):
        if (given := getattr(options, name)) is not None and given < 1:
            _parser().error(f"--{name} must be >= 1, got {given}")
    if options.threads:
        torch.set_num_threads(options.threads)
    n_rounds, n_steps = options.rounds, options.steps
    if options.part == "tokenizers":
        return _tokenizers(n_rounds)
    if options.part == "decoding":
        return _decoding(n_rounds)
    if options.part == "optimizer":
        return optimizer.run(n_rounds, n_steps)
    try:
        sides = both(TrainConfig(total_steps=1000))
    except ModuleNotFoundError:
        print(_MISSING)
        return 2
    print(_machine())
    ids = byte_ids(python_text().train)
    tokens = sides[0].config.batch_size * sides[0].model.config.max_seq_len
    result = compare(
        *(_stepper(side, ids) for side in sides),
        tokens=tokens, n_rounds=n_rounds, n_steps=n_steps, n_warm_up=min(n_steps, 10),
    )  # fmt: skip
    print(report(result))
    return 0 if result.median_ratio >= 1 else 1


def _tokenizers(n_rounds: int) -> int:
    """Compare the tokenizers, or say what is missing."""
    try:
        return tokenizers.run(n_rounds)
    except ModuleNotFoundError:
        print(_MISSING.replace("GPT", "BPE").replace("transformers", "tokenizers"))
        return 2


def _decoding(n_rounds: int) -> int:
    """Compare the writing of text, or say what is missing."""
    try:
        return decoding.run(n_rounds)
    except ModuleNotFoundError:
        print(_MISSING)
        return 2


def report(result: Comparison) -> str:
    """Say in a few lines how fast both were, and how sure that is."""
    return "\n".join(
        [
            f"course_lib GPT       {statistics.median(result.ours):8.0f} tokens/s",
            f"GPT2LMHeadModel      {statistics.median(result.theirs):8.0f} tokens/s",
            f"ours / theirs: {result.spread}",
        ]
    )


def _stepper(state: TrainState, ids: Tensor):
    """Make one whole training step: draw windows, forward, backward, clip, AdamW."""
    task, seq_len, config = NextToken(ids, ids), state.model.config.max_seq_len, state.config
    generator = torch.Generator().manual_seed(config.seed)

    def step() -> None:
        windows = task.draw(seq_len, config.batch_size, generator)
        update(state, task, windows, learning_rate(state.step + 1, config))

    return step


def _machine() -> str:
    """Name what the speed depends on."""
    return (
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}; "
        "training step of 4 layers, width 128, context 64, batch 12, 256 ids, fp32, no dropout"
    )


def _parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib bench``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib bench",
        description="Tokens per second of our GPT's training step and of transformers' GPT-2; "
        "seconds of our byte-pair encoding and of Hugging Face tokenizers; milliseconds of our "
        "AdamW's update and of torch's; or tokens per second written by our GPT and by "
        "transformers' generate.",
    )
    made.add_argument(
        "part", nargs="?", choices=("training", "tokenizers", "optimizer", "decoding"),
        default="training",
        help="what is compared (training)",
    )  # fmt: skip
    made.add_argument("--threads", type=int, help="torch threads; left out, torch's own choice")
    made.add_argument("--rounds", type=int, default=5, help="interleaved rounds (5)")
    made.add_argument("--steps", type=int, default=40, help="steps a turn (40)")
    return made
