import json

import pytest

from course_lib.experiments.ablation import RECORDED, recorded_ablation


def variant(start, name, losses, **changes):
    return {"start": start, "name": name, "losses": losses, "model": {}, "training": {}, **changes}


FOUND = {
    "command": "bench", "date": "2026-01-02", "machine": "some", "text": "some text",
    "unit": "nats a byte", "steps": 9, "tokens_a_step": 768, "seeds": [0, 1, 2],
    "variants": [
        variant("recipe", "whole", [1.0, 2.0, 3.0]),
        variant("recipe", "no a", [1.5, 2.1, 3.2], model={"a": 1}),
        variant("recipe", "no b", [0.5, 2.5, 3.1], training={"b": 1}),
        variant("reference", "it", [4.0, 4.0, 4.0]),
        variant("reference", "b", [4.0, 3.0, 3.5], training={"b": 1}),
    ],
}  # fmt: skip


def written(tmp_path, found):
    path = tmp_path / "found.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf8")
    return path


def test_changes_are_against_the_start_from_the_same_seed(tmp_path):
    found = recorded_ablation(written(tmp_path, FOUND))
    assert (found.recipe, found.reference) == ((1.0, 2.0, 3.0), (4.0, 4.0, 4.0))
    assert [v.name for v in found.removed] == ["no b", "no a"]
    assert [v.change for v in found.removed] == pytest.approx([0.1, 0.2])
    assert found.removed[1].changes == pytest.approx((0.5, 0.1, 0.2))
    assert [(v.name, v.change) for v in found.added] == [("b", -0.5)]
    assert (found.n_seeds, found.steps, found.command) == (3, 9, "bench")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("{", "found.json is no recorded ablation"),
        ({**FOUND, "variants": [{}]}, "found.json is no recorded ablation"),
        ({**FOUND, "seeds": [0, 1]}, "must hold a loss for each of 2 seeds, got 3 for 'whole'"),
        ({k: v for k, v in FOUND.items() if k != "date"}, "no recorded ablation: KeyError.*date"),
    ],
)
def test_a_file_that_is_something_else_is_named(tmp_path, found, message):
    with pytest.raises(ValueError, match=message):
        recorded_ablation(written(tmp_path, found))


@pytest.mark.skipif(not RECORDED.is_file(), reason="nothing was recorded yet")
def test_the_recorded_one_is_whole():
    found = recorded_ablation()
    assert found.n_seeds >= 3 and "bench --ablation" in found.command
    assert len(found.removed) >= 5 and len(found.added) >= 4
    assert max(found.recipe) < min(found.reference)
