"""A training lesson whose run is interrupted: its cells at smaller sizes, run one by one."""

import re
from pathlib import Path

TWINS = Path(__file__).parents[2] / "notebooks" / "text"


def cells(name, smaller):
    """The code cells of a lesson; each size must be there once, to be replaced."""
    text = (TWINS / f"{name}.py").read_text(encoding="utf8")
    for old, new in smaller.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    parts = re.split(r"^# %%(.*)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [code for head, code in pairs if "[markdown]" not in head]


def run_interrupted(name, smaller, run, stop):
    """Run all cells, with the square pressed after some steps of the run; return their names.

    Args:
        run: the beginning of the call that trains, ``live(run, ...``.
        stop: the last step that is made; 0 for none.
    """
    namespace = {"__name__": "lesson", "stopping": lambda records: interrupted_after(records, stop)}
    for code in cells(name, smaller):
        code = code.replace(run, run.replace("run", "stopping(run)", 1))
        exec(compile(code, name, "exec"), namespace)
    kept, watched = namespace["run"], namespace["watched"]
    assert kept.state.step == len(watched.history) == watched.stopped_at == stop
    return namespace


def interrupted_after(records, last):
    """What a reader does who presses the square after some steps, or before the first."""
    if last:
        for record in records:
            yield record
            if record.step == last:
                break
    raise KeyboardInterrupt


def steps_after_going_on(namespace, total, history):
    """Let the run go on to its last step, and return the steps of the whole history."""
    curves = namespace["curves"]
    again = namespace["live"](namespace["run"], total, curves.draw, curves.say, history=history)
    return [record.step for record in again.history]
