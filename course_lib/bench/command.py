"""The command: which part is measured, and with what options."""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch

from course_lib.bench import (
    ablation,
    agreement,
    decoding,
    fine_tuning,
    optimizer,
    recipe,
    table,
    tokenizers,
    topics,
    training,
)

_MISSING = (
    "bench compares our GPT with the one of Hugging Face transformers, which is not installed.\n"
    'It is part of the extra "test": python -m pip install -e ".[test]"'
)
RECORDED = ("ablation", "fine-tuning", "topics")  # what lessons show a recorded run of
PARTS = ("training", "recipe", "optimizer", "decoding", "tokenizers", "agreement", *RECORDED)
_STEPS = {"recipe": 2000, "ablation": 400, "fine-tuning": 800}  # of training; else, of a turn
_SEEDS = {"fine-tuning": 5}  # elsewhere 3


def main(argv: list[str]) -> int:
    """Measure and print; 0 when ours is good enough, 1 when not, 2 without a rival."""
    options = _parser().parse_args(argv)
    options.part = options.by_flag or options.part
    for name in ("threads", "rounds", "steps", "seeds"):
        if (given := getattr(options, name)) is not None and given < 1:
            _parser().error(f"--{name} must be >= 1, got {given}")
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        return _measure(options, argv)()
    except ModuleNotFoundError as error:
        if error.name not in ("transformers", "tokenizers"):
            print(error)  # a text's package; the message says how to get it
        elif options.part == "tokenizers":
            print(_MISSING.replace("GPT", "BPE").replace("transformers", "tokenizers"))
        else:
            print(_MISSING)
        return 2


def _measure(options: argparse.Namespace, argv: list[str]) -> Callable[[], int]:
    """Choose what is run."""
    n_rounds, n_turn = options.rounds, 40
    steps = options.steps or _STEPS.get(options.part, n_turn)
    seeds = options.seeds or _SEEDS.get(options.part, 3)
    if options.part == "recipe":
        return lambda: recipe.run(
            recipe.read_text(options.text), seeds, steps, n_rounds, n_turn
        )
    if options.part in RECORDED:
        command = " ".join(("python3 -m course_lib bench", *argv))
        out = options.out or Path(f"{options.part.replace('-', '_')}.json")
        return {
            "ablation": lambda: ablation.run(
                recipe.read_text(options.text), seeds, steps, out, command
            ),
            "fine-tuning": lambda: fine_tuning.run(seeds, steps, out, command),
            "topics": lambda: topics.run(options.seeds, out, command),
        }[options.part]
    return {
        None: lambda: table.run(n_rounds, steps),
        "training": lambda: training.run(n_rounds, steps),
        "optimizer": lambda: optimizer.run(n_rounds, steps),
        "decoding": lambda: decoding.run(n_rounds),
        "tokenizers": lambda: tokenizers.run(n_rounds),
        "agreement": agreement.run,
    }[options.part]


def _parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib bench``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib bench",
        description="Speed of our GPT's training step, AdamW, writing and byte-pair encoding "
        "against the published ones, all in one table, or one part of it in more words.  "
        "--recipe trains as well: what our recipe learns at equal cost, some 20 minutes.  "
        "agreement compares numbers in place of speed, for lesson 64, and takes 1.5 GB.",
    )
    made.add_argument(
        "part", nargs="?", choices=PARTS, help="one part alone; left out, a table of all speeds"
    )
    for part in ("recipe", *RECORDED):
        made.add_argument(
            f"--{part}", action="store_const", const=part, dest="by_flag",
            help=f"the same as {part}",
        )  # fmt: skip
    made.add_argument("--threads", type=int, help="torch threads; left out, torch's own choice")
    made.add_argument("--rounds", type=int, default=5, help="interleaved rounds (5)")
    made.add_argument(
        "--steps", type=int,
        help="steps of a turn (40); of a training: recipe 2000, ablation 400, fine-tuning 800",
    )
    made.add_argument(
        "--seeds", type=int,
        help="recipe, ablation: seeds (3); fine-tuning (5); topics: of full fine-tuning (none)",
    )
    made.add_argument(
        "--text", default=recipe.TOPICS,
        help=f"recipe, ablation: {recipe.TOPICS}, a text of the course, or a file "
        f"({recipe.TOPICS})",
    )  # fmt: skip
    made.add_argument(
        "--out", type=Path,
        help="ablation, fine-tuning, topics: the file that is written (NAME.json)",
    )  # fmt: skip
    return made
