"""``python3 -m course_lib train``: a training by a recipe, that can be stopped and resumed."""

import argparse
import shlex
from pathlib import Path

from course_lib.door.files import ROOT

STOPPED = 130  # the exit status of a program that Ctrl-C has ended


def main(argv: list[str]) -> int:
    """Train by a recipe and write weights and log; say how it goes."""
    from course_lib.training.recipes import RECIPES
    from course_lib.training.recipes.recipe import BUDGETS

    options = _parser(list(RECIPES), BUDGETS).parse_args(argv)
    _require_numbers(options)
    folder = Path(options.out)
    folder = folder if folder.is_absolute() else ROOT / folder
    folder.mkdir(parents=True, exist_ok=True)
    return _train(RECIPES[options.recipe], options, folder, argv)


def _train(recipe, options, folder: Path, argv: list[str]) -> int:
    """Make the run, fresh or resumed, and train it to its end or to the interrupt."""
    import torch

    from course_lib.training.run_files import RunFiles

    if options.threads:
        torch.set_num_threads(options.threads)
    files = RunFiles(folder, recipe.name)
    _require_decision(files, options)
    print(f"{recipe.name}: making the text ...", flush=True)
    run = _run(recipe, options)
    if options.resume:
        files.resume(run)
        print(f"Going on after step {run.state.step}.", flush=True)
    command = recorded(argv)
    files.begin(run, command)
    try:
        if not _follow(run, files, options):
            print(f"Stopped after step {run.state.step}, which is complete and saved. "
                  f"To go on:\n  {going_on(argv)}")  # fmt: skip
            return STOPPED
    finally:
        files.close()
    return _finish(run, files, folder, command)


def _run(recipe, options):
    """The run that the options describe, on a device that has been compared with the CPU."""
    from course_lib.training.changes import read_changes
    from course_lib.training.devices import bf16_helps, choose_device, require_agreement
    from course_lib.training.recipes import Run

    device = choose_device(options.device)
    bf16 = bf16_helps(device) if options.bf16 is None else options.bf16
    steps = options.budget if options.steps is None else options.steps
    run = Run(recipe, steps, options.seed, text=options.text, ids=options.ids,
              changes=read_changes(options.set), device=device, bf16=bf16)  # fmt: skip
    model = run.state.model
    if device.type != "cpu":
        print(f"Comparing {device} with the CPU ...", flush=True)
        require_agreement(model, run.material.task, device, model.config.max_seq_len)
    print(f"{run.material.text}, ids: {run.material.ids}; "
          f"{sum(p.numel() for p in model.parameters()):,} parameters; {device}"
          f"{', products in bfloat16' if bf16 else ''}; "
          f"{run.state.config.total_steps:,} steps", flush=True)  # fmt: skip
    return run


def _follow(run, files, options) -> bool:
    """Train, saving now and then; return False if it was interrupted."""
    import time

    from course_lib.door.train_progress import progress
    from course_lib.training.interrupts import HeldInterrupt

    saved = time.monotonic()
    with HeldInterrupt() as held, progress(run) as show:
        for record in run:
            files.add(run)
            show.record(record)
            ends = held.pending or record.step == record.total_steps
            if ends or time.monotonic() - saved >= options.checkpoint_every:
                show.failure(files.save(run))
                saved = time.monotonic()
            if held.pending and record.step < record.total_steps:
                return False
    return True


def _finish(run, files, folder: Path, command: str) -> int:
    """Write the weights and the log; only then is the checkpoint no longer needed."""
    from course_lib.models.shipped import write

    log = run.log(command)
    said = [f"{name} {value:.4f}" + (f" (floor {log['floors'][name]:.4f})"
                                     if name in log["floors"] else "")
            for name, value in log["measured"].items()]  # fmt: skip
    print(f"On all held-out text: {', '.join(said)}")
    try:
        path = write(run.shipped(), log, folder)
    except OSError as error:
        print(f"The weights could not be written: {error}. The training is complete and saved; "
              "the same command with --resume writes them.")  # fmt: skip
        return 1
    files.checkpoint.unlink(missing_ok=True)
    print(f"Written: {path.name} ({path.stat().st_size:,} bytes) and its log.")
    return 0


def _require_decision(files, options) -> None:
    """Raise if there is an unfinished run and nobody said what to do with it."""
    if options.resume or options.restart:
        return
    step = files.step()
    if step is not None:
        raise ValueError(
            f"{files.checkpoint.parent} holds an unfinished run, at step {step}. Add --resume to "
            "go on with it, --restart to throw it away, or --out FOLDER to leave it alone."
        )


def _require_numbers(options) -> None:
    """Raise an error that names the first number that is too small."""
    for name, least in (("threads", 1), ("steps", 1), ("seed", 0)):
        given = getattr(options, name)
        if given is not None and given < least:
            raise ValueError(f"--{name} must be a whole number >= {least}, got {given}")
    if not options.checkpoint_every >= 0:  # NaN is caught too
        given = options.checkpoint_every
        raise ValueError(f"--checkpoint-every must be >= 0 seconds, got {given}")


def recorded(argv: list[str]) -> str:
    """The command that makes the run again, as the log keeps it.

    It is left out where the run was written to and whether it was resumed; of a file that lies
    somewhere on this machine the name is kept.
    """
    kept, words = [], iter(_without_decision(argv))
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in ("--out", "--text") and not equals:
            value = next(words, "")
        if flag == "--text":
            kept += [flag, Path(value).name if Path(value).is_absolute() else value]
        elif flag != "--out":
            kept.append(word)
        elif not Path(value).is_absolute():
            kept += [flag, value]
    return shlex.join(["python3", "-m", "course_lib", "train", *kept])


def going_on(argv: list[str]) -> str:
    """The command that goes on with the run on this machine."""
    words = [*_without_decision(argv), "--resume"]
    return shlex.join(["python3", "-m", "course_lib", "train", *words])


def _without_decision(argv: list[str]) -> list[str]:
    """The arguments without what is to be done with an unfinished run."""
    return [word for word in argv if word not in ("--resume", "--restart")]


def _parser(names: list[str], budgets: tuple[str, ...]) -> argparse.ArgumentParser:
    """What can be asked for."""
    parser = argparse.ArgumentParser(
        prog="python3 -m course_lib train",
        description="Train a model by a recipe and write its weights and log. Ctrl-C stops it "
        "after the current step and saves it; --resume goes on.",
        allow_abbrev=False,  # the commands that are printed and logged know the whole words
    )
    add = parser.add_argument
    add("recipe", choices=names)
    length = parser.add_mutually_exclusive_group()
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
    add("--threads", type=int, help="of the processor (default: torch's choice)")
    add("--out", default="my_course/trained", help="folder to write to (default: %(default)s)")
    add("--checkpoint-every", type=float, default=60.0, metavar="SECONDS",
        help="time between two checkpoints (default: 60)")  # fmt: skip
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--resume", action="store_true",
        help="go on with an unfinished run, to the last bit if --threads is the same")
    known.add_argument("--restart", action="store_true", help="throw an unfinished run away")
    return parser
