from dataclasses import asdict, replace

import pytest

from course_lib.config import BertConfig, GPTConfig, TrainConfig
from course_lib.training.changes import apply_changes, read_changes, reshaped

SHAPE = GPTConfig(256, 64, d_model=12, n_layers=2, n_heads=4)
SETTINGS = TrainConfig(100)


def test_values_are_numbers_tuples_constants_or_words():
    given = ["d_model=192", "lr=2e-3", "betas=0.9,0.99", "tie_embeddings=False", "d_ff = None",
             "positions=rotary", "weight_decay=-1"]  # fmt: skip
    assert read_changes(given) == {
        "d_model": 192, "lr": 2e-3, "betas": (0.9, 0.99), "tie_embeddings": False, "d_ff": None,
        "positions": "rotary", "weight_decay": -1,
    }  # fmt: skip
    assert read_changes(["betas=[0.9, 0.99]"]) == {"betas": (0.9, 0.99)}


@pytest.mark.parametrize(("text", "value"), [("false", False), ("TRUE", True), ("none", None),
                                             ("relu squared", "relu squared")])  # fmt: skip
def test_constants_are_read_in_any_case(text, value):
    assert read_changes([f"qk_norm={text}"]) == {"qk_norm": value}


@pytest.mark.parametrize("given", [["lr"], ["=3"], ["lr="], [""], ["lr=1", "lr=2"]])
def test_what_is_not_one_name_and_value_is_refused(given):
    with pytest.raises(ValueError, match="--set"):
        read_changes(given)


def test_shape_and_settings_are_found_by_their_names():
    shape, settings = apply_changes(SHAPE, SETTINGS, {"d_model": 20, "lr": 0.5, "batch_size": 7})
    assert shape == GPTConfig(256, 64, d_model=20, n_layers=2, n_heads=4)
    assert settings == replace(SETTINGS, lr=0.5, batch_size=7)
    assert apply_changes(SHAPE, SETTINGS, {}) == (SHAPE, SETTINGS)


@pytest.mark.parametrize("config", [
    GPTConfig(256, 64, d_model=12, n_layers=2, n_heads=4),
    GPTConfig(256, 64, d_model=12, n_layers=2, n_heads=4, n_kv_heads=2, d_head=5, d_ff=7),
    BertConfig(256, 64, d_model=12, n_layers=2, n_heads=4),
])  # fmt: skip
def test_a_derived_size_follows_and_a_chosen_one_stays(config):
    wider = reshaped(config, {"d_model": 24, "n_heads": 8})
    changed = {n for n, v in asdict(wider).items() if asdict(config)[n] != v}
    if config.d_head == 5:
        assert changed == {"d_model", "n_heads"}
    else:
        assert changed - {"n_kv_heads"} == {"d_model", "n_heads", "d_ff"}
        assert wider.d_ff == 96 and wider.d_head == 3
    assert getattr(wider, "n_kv_heads", 2) in (2, 8)


def test_an_unknown_name_gets_a_suggestion_or_the_list():
    with pytest.raises(ValueError, match="'n_head'.*did you mean n_heads"):
        apply_changes(SHAPE, SETTINGS, {"n_head": 2})
    with pytest.raises(ValueError, match="adam_eps, batch_size, betas"):
        apply_changes(SHAPE, SETTINGS, {"xyz": 2})


@pytest.mark.parametrize("name", ["vocab_size", "total_steps", "seed"])
def test_what_follows_from_elsewhere_is_not_changed(name):
    with pytest.raises(ValueError, match=f"cannot change {name}: "):
        apply_changes(SHAPE, SETTINGS, {name: 3})


def test_a_value_of_the_wrong_type_is_a_value_error(as_shipped, monkeypatch):
    """The configurations raise TypeErrors; the door makes one sentence of ValueErrors alone."""
    monkeypatch.setattr(TrainConfig, "__init__", as_shipped(TrainConfig.__init__))
    with pytest.raises(ValueError, match="lr"):
        apply_changes(SHAPE, SETTINGS, {"lr": "fast"})
