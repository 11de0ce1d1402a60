"""Lesson 61 after an interrupt at the very start: every later cell still works."""

import re
from pathlib import Path

import pytest

TWIN = Path(__file__).parents[2] / "notebooks" / "text" / "61_train_gpt.py"
# Smaller sizes, so that this takes seconds; each must be there to be replaced.
SMALLER = {
    "python_text()": "python_text(60_000)",
    "d_model=128, n_layers=4, n_heads=4": "d_model=64, n_layers=1, n_heads=2",
    "near=1, within=0.03": "near=1, within=0.1",
    "STEPS = 400": "STEPS = 6",
    "validation[:40_000]": "validation[:3_000]",
    "held_out[:6000]": "held_out[:2000]",
    "state.model, 24,": "state.model, 2,",
    "max_bytes=200": "max_bytes=10",
    "n_new=160": "n_new=5",
    "story_ids(IDS, 8000)": "story_ids(IDS, 60, 20)",
    '"stories", "words", 150': '"stories", "words", 3',
    "other.model, text) if": "other.model, text, 4) if",
    "other.model, text, 10, story_draws": "other.model, text, 2, story_draws",
    "tell(1000, seed=62)": "tell(200, seed=62)",
    "nats_per_word, within=0.02": "nats_per_word, within=0.06",
}


def cells():
    text = TWIN.read_text(encoding="utf8")
    for old, new in SMALLER.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    parts = re.split(r"^# %%(.*)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [code for head, code in pairs if "[markdown]" not in head]


def interrupted_after(records, last):
    """What a reader does who presses the square after some steps."""
    for record in records:
        if record.step > last:
            raise KeyboardInterrupt
        yield record
        if record.step == last:
            raise KeyboardInterrupt


def no_record_at_all(records):
    raise KeyboardInterrupt
    yield


@pytest.mark.parametrize("stop", [0, 1, 5])
def test_every_later_cell_works(stop, capsys, monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    namespace = {"__name__": "lesson"}
    for code in cells():
        if "run = live(" in code:
            head = "    train(state, train_ids, validation_ids), STEPS"
            assert head in code
            code = code.replace(head, head.replace("train(", "stopping(train(", 1).replace(
                "), STEPS", ")), STEPS"))  # fmt: skip
            namespace["stopping"] = (
                (lambda records: interrupted_after(records, stop)) if stop else no_record_at_all
            )
        exec(compile(code, "61", "exec"), namespace)
    assert namespace["state"].step == len(namespace["history"]) == stop
    assert namespace["run"].stopped_at == stop
    # The run goes on from there, to the last step, and the history has no gap.
    again = namespace["live"](
        namespace["train"](
            namespace["state"], namespace["train_ids"], namespace["validation_ids"]
        ),
        6, namespace["curves"].draw, namespace["curves"].say, history=namespace["history"],
    )  # fmt: skip
    assert [record.step for record in again.history] == [1, 2, 3, 4, 5, 6]
    assert "Only" in capsys.readouterr().out
