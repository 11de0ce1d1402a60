"""Files of tensors: whole, in pieces, damaged, and pickles."""

import json
import pickle

import pytest
import safetensors.torch
import torch

from course_lib.models.checkpoints import read_tensors

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4)}


def same(found):
    return found.keys() == TENSORS.keys() and all(
        torch.equal(found[name], tensor) for name, tensor in TENSORS.items()
    )


def shards(folder, places=None):
    for name in TENSORS:
        safetensors.torch.save_file({name: TENSORS[name]}, folder / f"{name}.safetensors")
    places = places or {name: f"{name}.safetensors" for name in TENSORS}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}), encoding="utf8")
    return index


def test_a_file_and_its_folder(tmp_path):
    file = tmp_path / "model.safetensors"
    safetensors.torch.save_file(TENSORS, file)
    assert same(read_tensors(file)) and same(read_tensors(str(tmp_path)))


def test_several_files_with_an_index(tmp_path):
    shards(tmp_path)
    assert same(read_tensors(tmp_path))


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({"a": "a.safetensors"}, None),
        ({"a": "a.safetensors", "b": "a.safetensors"}, "not so 'b' and 0 others"),
        ({"a": "a.safetensors", "b": "c.safetensors"}, "lie beside it, got 'c.safetensors'"),
        ({"a": 3}, "lie beside it, got 3"),
        ({"a": "../a.safetensors"}, "lie beside it, got '../a.safetensors'"),
    ],
)
def test_an_index_that_is_not_true(tmp_path, places, message):
    folder = tmp_path / "model"
    folder.mkdir()
    safetensors.torch.save_file({"a": TENSORS["a"]}, tmp_path / "a.safetensors")
    shards(folder, places)
    if message is None:  # a file that the index does not name is none of the model's
        assert read_tensors(folder).keys() == {"a"}
    else:
        with pytest.raises(ValueError, match=message):
            read_tensors(folder)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"weight_map": 3}'])
def test_an_index_that_is_none(tmp_path, text):
    shards(tmp_path).write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match="index.json must map names to files"):
        read_tensors(tmp_path)


def test_damaged_and_absent_files(tmp_path):
    with pytest.raises(ValueError, match="a file or a folder that exists, got"):
        read_tensors(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="got a folder with nothing"):
        read_tensors(tmp_path)
    (tmp_path / "vocab.txt").write_text("a", encoding="utf8")
    with pytest.raises(ValueError, match="must hold model.safetensors or .* with vocab.txt"):
        read_tensors(tmp_path)
    file = tmp_path / "model.safetensors"
    file.write_bytes(safetensors.torch.save(TENSORS)[:-3])
    with pytest.raises(ValueError, match="model.safetensors must be a whole safetensors file"):
        read_tensors(tmp_path)


class Trap:
    """What a pickle can do: call any function, here one that leaves a trace."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (open, (str(self.file), "w"))


def test_a_pickle_is_refused_unless_asked_for(tmp_path):
    torch.save(TENSORS, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="got pytorch_model.bin: a pickle can run any code"):
        read_tensors(tmp_path)
    assert same(read_tensors(tmp_path, allow_pickle=True))
    assert same(read_tensors(tmp_path / "pytorch_model.bin", allow_pickle=True))


@pytest.mark.parametrize("allowed", [False, True])
def test_a_pickle_runs_nothing_even_where_it_is_allowed(tmp_path, allowed):
    trace, file = tmp_path / "trace", tmp_path / "model.pt"
    torch.save({"a": Trap(trace)}, file)
    message = "nothing else; it asks for .*open" if allowed else "a pickle can run any code"
    with pytest.raises(ValueError, match=message):
        read_tensors(file, allow_pickle=allowed)
    assert not trace.exists()
    pickle.loads(pickle.dumps(Trap(trace))).close()  # the trap itself works
    assert trace.exists()


def test_a_pickle_of_something_else(tmp_path):
    torch.save([torch.zeros(2)], tmp_path / "model.pt")
    with pytest.raises(ValueError, match="must map names to tensors, got list"):
        read_tensors(tmp_path / "model.pt", allow_pickle=True)
    (tmp_path / "empty.pt").write_bytes(b"")
    with pytest.raises(ValueError, match="empty.pt must hold tensors and nothing else"):
        read_tensors(tmp_path / "empty.pt", allow_pickle=True)
