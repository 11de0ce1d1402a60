import importlib.util

import pytest

from course_lib import config
from course_lib.config import BERT_SIZES, GPT2_SIZES, BertConfig, GPTConfig, TrainConfig, tiny_gpt


def test_left_out_widths_are_filled_in():
    config = GPTConfig(vocab_size=11, max_seq_len=7, d_model=12, n_layers=2, n_heads=3)
    assert (config.d_head, config.d_ff) == (4, 48)


def test_head_width_is_free_of_the_model_width():
    assert GPTConfig(11, 7, d_model=10, n_layers=1, n_heads=3, d_head=5).d_head == 5


def test_indivisible_width_names_both_numbers():
    with pytest.raises(ValueError, match="d_model must be divisible by n_heads.*d_model=10.*=3"):
        GPTConfig(11, 7, d_model=10, n_layers=1, n_heads=3)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"vocab_size": 0}, ValueError, "vocab_size"),
        ({"n_layers": -1}, ValueError, "n_layers"),
        ({"n_heads": 2.0}, TypeError, "n_heads"),
        ({"d_model": True}, TypeError, "d_model"),
        ({"dropout": 1.0}, ValueError, "dropout"),
        ({"dropout": float("nan")}, ValueError, "dropout"),
        ({"norm_eps": -1e-5}, ValueError, "norm_eps"),
        ({"init_std": float("inf")}, ValueError, "init_std"),
        ({"d_ff": 0}, ValueError, "d_ff"),
    ],
)
def test_bad_model_sizes_are_named(change, error, message):
    sizes = {"vocab_size": 11, "max_seq_len": 7, "d_model": 12, "n_layers": 2, "n_heads": 3}
    with pytest.raises(error, match=message):
        GPTConfig(**{**sizes, **change})
    with pytest.raises(error, match=message):
        BertConfig(**{**sizes, **change})


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (GPTConfig, {"positions": "rope"}, "positions must be one of .*, got 'rope'"),
        (GPTConfig, {"positions": "rotary", "d_head": 5}, "d_head must be even.*got 5"),
        (GPTConfig, {"positions": "sinusoidal", "d_model": 9}, "d_model must be even.*got 9"),
        (GPTConfig, {"norm": "batch"}, "norm must be one of .*, got 'batch'"),
        (GPTConfig, {"activation": "relu"}, "activation must be one of .*, got 'relu'"),
        (BertConfig, {"n_segments": 0}, "n_segments"),
        (BertConfig, {"positions": "sinusoidal"}, r"must be one of \('learned', 'rotary'\)"),
        (BertConfig, {"positions": "rotary", "d_head": 5}, "d_head must be even for rotary"),
        (BertConfig, {"init_std": 0.0}, "init_std must be a finite number > 0, got 0.0"),
    ],
)
def test_what_only_one_family_has_is_checked_too(kind, change, message):
    sizes = {"vocab_size": 11, "max_seq_len": 7, "d_model": 12, "n_layers": 2, "n_heads": 3}
    with pytest.raises(ValueError, match=message):
        kind(**{**sizes, **change})


def test_published_bert_sizes_are_those_of_the_paper():
    base, large = BERT_SIZES["bert-base"], BERT_SIZES["bert-large"]
    assert (base.n_layers, base.d_model, base.n_heads, base.d_ff) == (12, 768, 12, 3072)
    assert (large.n_layers, large.d_model, large.n_heads, large.d_ff) == (24, 1024, 16, 4096)
    assert base.norm_eps == 1e-12 and base.max_seq_len == 512 and base.n_segments == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"total_steps": 0}, "total_steps"),
        ({"warmup_steps": -1}, "warmup_steps"),
        ({"lr": float("nan")}, "lr"),
        ({"lr": 1e-4, "min_lr": 1e-3}, "min_lr must be <= lr"),
        ({"betas": (0.9, 1.0)}, r"betas\[1\]"),
        ({"max_grad_norm": -1.0}, "max_grad_norm"),
        ({"max_grad_norm": 0.0}, "max_grad_norm must be a finite number > 0, got 0.0"),
        ({"adam_eps": 0.0}, "adam_eps must be a finite number > 0, got 0.0"),
        ({"optimizer": "sgd"}, "optimizer must be one of .*, got 'sgd'"),
        ({"decay": "steps"}, "decay must be one of .*, got 'steps'"),
    ],
)
def test_bad_training_choices_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        TrainConfig(**{"total_steps": 10, **change})


def test_a_configuration_cannot_change():
    with pytest.raises(AttributeError):
        tiny_gpt().d_model = 3


def test_published_sizes_are_those_of_the_paper():
    assert [(c.n_layers, c.d_model) for c in GPT2_SIZES.values()] == [
        (12, 768), (24, 1024), (36, 1280), (48, 1600),
    ]  # fmt: skip


@pytest.fixture
def as_a_learner_has_it():
    """The module without the type checks of the test run, which would speak first."""
    spec = importlib.util.spec_from_file_location("plain_config", config.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["dropout", "norm_eps", "init_std"])
@pytest.mark.parametrize("value", ["0.1", None, [1], True])
def test_a_model_setting_that_is_no_number_is_named(as_a_learner_has_it, name, value):
    with pytest.raises(TypeError, match=f"{name} must be a number, got "):
        as_a_learner_has_it.GPTConfig(11, 7, 12, 2, 3, **{name: value})


@pytest.mark.parametrize("name", ["lr", "min_lr", "adam_eps", "weight_decay", "max_grad_norm"])
@pytest.mark.parametrize("value", ["0.1", None, True])
def test_a_training_setting_that_is_no_number_is_named(as_a_learner_has_it, name, value):
    with pytest.raises(TypeError, match=f"{name} must be a number, got "):
        as_a_learner_has_it.TrainConfig(10, **{name: value})


@pytest.mark.parametrize("betas", [None, 0.9, (0.9,), (0.9, 0.9, 0.9), [0.9, 0.95]])
def test_betas_that_are_no_pair_are_named(as_a_learner_has_it, betas):
    with pytest.raises(ValueError, match="betas must be a tuple of two numbers, got "):
        as_a_learner_has_it.TrainConfig(10, betas=betas)


def test_tied_must_be_true_or_false(as_a_learner_has_it):
    with pytest.raises(TypeError, match="tie_embeddings must be True or False, got 'no'"):
        as_a_learner_has_it.GPTConfig(11, 7, 12, 2, 3, tie_embeddings="no")
