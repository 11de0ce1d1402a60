"""What ``python3 -m course_lib train`` can be asked for."""

import argparse


def parser(names: list[str], budgets: tuple[str, ...]) -> argparse.ArgumentParser:
    """What can be asked for."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib train",
        description="Train a model by a recipe and write its weights and log. Ctrl-C stops it "
        "after the current step and saves it; --resume goes on. Started by torchrun "
        "--nproc-per-node N -m course_lib train ..., N processes share each batch.",
        allow_abbrev=False,  # the commands that are printed and logged know the whole words
    )
    add = made.add_argument
    add("recipe", choices=names)
    length = made.add_mutually_exclusive_group()
    length.add_argument("--budget", choices=budgets, help="as long as the lessons' budget")
    length.add_argument("--steps", type=int, help="another number of updates than the recipe's")
    add("--seed", type=int, default=0, help="of the first weights and of every draw (default: 0)")
    add("--text", help='another text: "stories", "python", "web-bible", "wikipedia", '
        '"tiny-shakespeare", or a file')  # fmt: skip
    add("--ids", help="what a token is: words, bytes, bpe or wordpiece, where the text allows it")
    add("--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="other values for the model's shape or the settings, such as d_model=192 lr=2e-3")
    add("--device", help="cuda, cpu or mps (default: cuda if there is one, else cpu)")
    add("--bf16", action=argparse.BooleanOptionalAction,
        help="matrix products in bfloat16 (default: on cuda, where the card can)")  # fmt: skip
    add("--threads", type=int, help="of the processor (default: torch's choice; "
        "of several processes each its share of the cores)")  # fmt: skip
    add("--out", default="my_course/trained", help="folder to write to (default: %(default)s)")
    add("--checkpoint-every", type=float, default=60.0, metavar="SECONDS",
        help="time between two checkpoints (default: 60)")  # fmt: skip
    known = made.add_mutually_exclusive_group()
    known.add_argument("--resume", action="store_true",
        help="go on with an unfinished run, to the last bit if --threads and the number of "
        "processes are the same")
    known.add_argument("--restart", action="store_true", help="throw an unfinished run away")
    return made


def require_numbers(options) -> None:
    """Raise an error that names the first number that is too small."""
    for name, least in (("threads", 1), ("steps", 1), ("seed", 0)):
        given = getattr(options, name)
        if given is not None and given < least:
            raise ValueError(f"--{name} must be a whole number >= {least}, got {given}")
    if not options.checkpoint_every >= 0:  # NaN is caught too
        given = options.checkpoint_every
        raise ValueError(f"--checkpoint-every must be >= 0 seconds, got {given}")
