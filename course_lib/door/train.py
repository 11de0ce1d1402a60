"""``python3 -m course_lib train``: a training by a recipe, that can be stopped and resumed.

Under ``torchrun`` it runs in several processes that share each batch.
"""

import sys
from contextlib import contextmanager, suppress
from pathlib import Path

from course_lib.door.files import ROOT
from course_lib.door.train_commands import going_on, recorded
from course_lib.door.train_options import parser, require_numbers

STOPPED = 130  # the exit status of a program that Ctrl-C has ended


def main(argv: list[str]) -> int:
    """Train by a recipe and write weights and log; say how it goes."""
    from course_lib.training.processes import Refused, joined
    from course_lib.training.recipes import RECIPES
    from course_lib.training.recipes.recipe import BUDGETS

    options = parser(list(RECIPES), BUDGETS).parse_args(argv)
    with joined() as processes, _one_voice(processes):
        try:
            return _train(RECIPES[options.recipe], options, processes, argv)
        except Refused as error:
            print(error, flush=True)  # heard from the first process alone
            processes.any(True)  # as soon as one leaves, torchrun ends the others, heard or not
            return 1
        except ValueError as error:
            if processes.first:
                raise
            print(f"Process {processes.rank}: {error}", file=sys.stderr, flush=True)
            return 1
        except RuntimeError as error:
            if not processes.lost(error):
                raise
            return _end_without(processes, "It had not begun.")


@contextmanager
def _one_voice(processes):
    """Let the first process alone say how it goes."""
    from contextlib import redirect_stdout
    from os import devnull

    if processes.first:
        yield
    else:
        with open(devnull, "w", encoding="utf8") as nowhere, redirect_stdout(nowhere):
            yield


def _train(recipe, options, processes, argv: list[str]) -> int:
    """Make the run, fresh or resumed, and train it to its end or to the interrupt."""
    from course_lib.training.interrupts import HeldInterrupt

    with processes.unanimous():
        run, files = _made(recipe, options, processes)
    command = recorded(argv, processes.world)
    files.begin(run, command)
    try:
        with HeldInterrupt(term=processes.world > 1) as held:
            status = _followed(run, files, options, held, going_on(argv, processes.world))
    finally:
        files.close()
    if status == 0:
        if processes.first:
            status = _finish(run, files, command)
        with suppress(RuntimeError):  # who is lost by now is not needed any more
            processes.any(False)  # nobody leaves while the first still writes
    return status


def _made(recipe, options, processes):
    """The run, fresh or resumed, and its files."""
    import torch

    from course_lib.training.run_files import RunFiles, SeenFiles

    require_numbers(options)
    if threads := options.threads or processes.threads():
        torch.set_num_threads(threads)
    folder = Path(options.out)
    folder = folder if folder.is_absolute() else ROOT / folder
    folder.mkdir(parents=True, exist_ok=True)
    files = (RunFiles if processes.first else SeenFiles)(folder, recipe.name)
    _require_decision(files, options)
    print(f"{recipe.name}: making the text ...", flush=True)
    run = _run(recipe, options, processes)
    if options.resume:
        files.resume(run)
        print(f"Going on after step {run.state.step}.", flush=True)
    return run, files


def _run(recipe, options, processes):
    """The run that the options describe, on a device that has been compared with the CPU."""
    from course_lib.training.changes import read_changes
    from course_lib.training.devices import bf16_helps, choose_device, require_agreement
    from course_lib.training.recipes import Run

    device = processes.device(choose_device(options.device))
    bf16 = bf16_helps(device) if options.bf16 is None else options.bf16
    steps = options.budget if options.steps is None else options.steps
    run = Run(recipe, steps, options.seed, text=options.text, ids=options.ids,
              changes=read_changes(options.set), device=device, bf16=bf16,
              processes=processes)  # fmt: skip
    model = run.state.model
    if device.type != "cpu":
        print(f"Comparing {device} with the CPU ...", flush=True)
        require_agreement(model, run.material.task, device, model.config.max_seq_len)
    print(f"{run.material.text}, ids: {run.material.ids}; "
          f"{sum(p.numel() for p in model.parameters()):,} parameters; {device}"
          f"{', products in bfloat16' if bf16 else ''}"
          f"{f', {processes.world} processes' if processes.world > 1 else ''}; "
          f"{run.state.config.total_steps:,} steps", flush=True)  # fmt: skip
    return run


def _followed(run, files, options, held, again: str) -> int:
    """Train to the end, to an interrupt, or until a process is lost; say which if not the end."""
    try:
        if _follow(run, files, options, held):
            return 0
    except RuntimeError as error:
        if not run.processes.lost(error):
            raise
        return _lost(run, files, again)
    print(f"Stopped after step {run.state.step}, which is complete and saved. "
          f"To go on:\n  {again}")  # fmt: skip
    return STOPPED


def _follow(run, files, options, held) -> bool:
    """Train, saving now and then; return False if it was interrupted."""
    import time

    from course_lib.door.train_progress import progress

    saved = time.monotonic()
    with progress(run) as show:
        for record in run:
            files.add(run)
            show.record(record)
            stop, last = run.processes.any(held.pending), record.step == record.total_steps
            if stop or last or time.monotonic() - saved >= options.checkpoint_every:
                show.failure(files.save(run))
                saved = time.monotonic()
            if stop and not last:
                return False
    return True


def _lost(run, files, again: str) -> int:
    """Save the last complete step; without the process that is lost there can be no other."""
    failure = files.save(run)
    step = files.step()
    saved = "Nothing is saved." if step is None else (
        f"Step {step} is complete and saved. To go on, in as many processes or any other number:"
        f"\n  {again}")  # fmt: skip
    return _end_without(
        run.processes, f"A later step could not be saved: {failure}. {saved}" if failure else saved
    )


def _end_without(processes, where: str) -> int:
    """Say, in one of those that live, that a process has been lost; return the exit status."""
    if processes.speaks():
        print(f"A process of this run has ended before its time, so all of it stops here. {where}",
              file=sys.__stdout__, flush=True)  # fmt: skip
    return 1


def _finish(run, files, command: str) -> int:
    """Write the weights and the log; only then is the checkpoint no longer needed."""
    from course_lib.models.shipped import write

    log = run.log(command)
    said = [f"{name} {value:.4f}" + (f" (floor {log['floors'][name]:.4f})"
                                     if name in log["floors"] else "")
            for name, value in log["measured"].items()]  # fmt: skip
    print(f"On all held-out text: {', '.join(said)}")
    try:
        path = write(run.shipped(), log, files.checkpoint.parent)
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
