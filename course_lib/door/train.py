"""``python3 -m course_lib train``: a shipped model, made again by one command."""

import argparse
from pathlib import Path

from course_lib.door.files import ROOT


def main(argv: list[str]) -> int:
    """Train by a recipe and write weights and log; print how it goes."""
    from course_lib.training.recipes import RECIPES

    options = _parser(list(RECIPES)).parse_args(argv)
    for name, least in (("threads", 1), ("steps", 1), ("seed", 0)):
        given = getattr(options, name)
        if given is not None and given < least:
            raise ValueError(f"--{name} must be a whole number >= {least}, got {given}")
    folder = Path(options.out)
    if not folder.is_absolute():
        folder = ROOT / folder
    folder.mkdir(parents=True, exist_ok=True)
    return _train(RECIPES[options.recipe], options, folder, " ".join(argv))


def _train(recipe, options, folder: Path, arguments: str) -> int:
    """Train, and say every now and then how far it is."""
    import torch

    from course_lib.models.shipped import write
    from course_lib.training.recipes import Run

    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"{recipe.name}: making the text ...", flush=True)
    run, seconds = Run(recipe, options.steps, options.seed), 0.0
    for record in run:
        seconds += record.seconds
        if record.validation_loss is not None:
            print(f"step {record.step:5} of {record.total_steps}  "
                  f"held-out loss {record.validation_loss:.4f}  floor {run.text.floor:.4f}  "
                  f"{seconds:5.0f} s", flush=True)  # fmt: skip
    log = run.log(f"python3 -m course_lib train {arguments}")
    path = write(run.shipped(), log, folder)
    print(f"all held-out texts: {log['validation_loss']:.4f} nats a token, "
          f"floor {log['floor']:.4f}; written: {path.name} ({path.stat().st_size:,} bytes) "
          "and its log")  # fmt: skip
    return 0


def _parser(names: list[str]) -> argparse.ArgumentParser:
    """What can be asked for."""
    parser = argparse.ArgumentParser(
        prog="python3 -m course_lib train",
        description="Train a model by a recipe and write its weights and log.",
    )
    parser.add_argument("recipe", choices=names)
    parser.add_argument("--out", default="my_course/trained",
                        help="folder to write to (default: my_course/trained)")  # fmt: skip
    parser.add_argument("--steps", type=int, help="another number of updates than the recipe's")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, help="of the processor (default: torch's choice)")
    return parser
