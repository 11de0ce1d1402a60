import pytest

from course_lib import __main__ as door
from course_lib.door import train
from course_lib.models.shipped import load, log
from course_lib.training import recipes


@pytest.fixture
def small(monkeypatch):
    from dataclasses import replace
    from functools import partial

    from tiny import config

    from course_lib.config import GPTConfig
    from course_lib.training.recipes import gpt_material

    recipe = replace(
        recipes.STORIES_GPT, material=partial(gpt_material, n_stories=30, n_held_out=7),
        shape=lambda v: GPTConfig(v, 88, d_model=8, n_layers=1, n_heads=2), settings=config(9),
    )  # fmt: skip
    monkeypatch.setitem(recipes.RECIPES, "stories-gpt", recipe)


def test_it_trains_and_writes_weights_and_log(small, tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert train.main(["stories-gpt", "--steps", "5", "--seed", "3", "--out", str(out)]) == 0
    assert sorted(p.name for p in out.iterdir()) == [
        "stories-gpt.json", "stories-gpt.safetensors", "stories-gpt.steps.jsonl"
    ]  # fmt: skip
    made = log("stories-gpt", out)
    assert made["settings"]["total_steps"] == 5 and made["settings"]["seed"] == 3
    assert made["command"].startswith("python3 -m course_lib train stories-gpt --steps 5 --seed 3")
    assert load("stories-gpt", out).model.config.d_model == 8
    said = capsys.readouterr().out
    assert "step     4 of 5" in said and "floor 0.6591" in said


@pytest.mark.parametrize("option", [["--steps", "0"], ["--seed", "-1"], ["--threads", "0"]])
def test_a_wrong_number_is_one_sentence(option, capsys):
    assert door.main(["train", "stories-gpt", *option]) == 1
    assert f"{option[0]} must be a whole number" in capsys.readouterr().out


def test_an_unknown_recipe_names_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        train.main(["storys"])
    assert "stories-gpt" in capsys.readouterr().err
