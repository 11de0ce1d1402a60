"""The published MiniLM in our BERT, on every layer, with padding and two segments."""

import pytest
import torch
from optional_packages import needs

from course_lib import packaged
from course_lib.bench.agreement import BOUND, published_minilm, read_sentence
from course_lib.experiments.inside import look_inside
from course_lib.models.checkpoints import load_minilm


@needs("minilm")
def test_every_layer_agrees():
    ids = read_sentence("Which bank? The bank of the river, said the boatman; not in town.")
    ours, theirs = look_inside(load_minilm(), ids).hidden, published_minilm(ids)
    assert ours.shape == theirs.shape == (7, ids.shape[1], 384)
    assert (ours - theirs).abs().max() < BOUND
    assert theirs.abs().max() > 1  # the bound is small beside the numbers


@needs("minilm")
def test_its_table_of_places_is_learnt():
    model = load_minilm().train()
    table = model.embedding.positions.weight
    assert table.shape == (512, 384) and table.requires_grad
    ids = read_sentence("two words")
    model(ids).square().sum().backward()
    assert (table.grad[: ids.shape[1]].abs().amax(dim=1) > 0).all()
    assert table.grad[ids.shape[1] :].abs().max() == 0


def test_it_says_how_to_install_what_is_absent(monkeypatch):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    with pytest.raises(ModuleNotFoundError, match="course_lib extras pretrained"):
        load_minilm()


@needs("minilm")
def test_loading_leaves_the_random_numbers_alone():
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    load_minilm()
    assert torch.equal(torch.rand(1), wanted)
