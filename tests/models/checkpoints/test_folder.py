"""Folders that transformers writes are read here, and those written here are read there."""

import json

import pytest
import torch
from published_bert import SIZES, published_bert
from transformers import GPT2Config, GPT2LMHeadModel

from course_lib.config import GPTConfig
from course_lib.models.bert import Bert
from course_lib.models.checkpoints import from_folder, write_gpt2
from course_lib.models.gpt import GPT

SHAPE = GPTConfig(vocab_size=37, max_seq_len=11, d_model=12, n_layers=3, n_heads=4, d_ff=20)


def shaken(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval()


def their_gpt2(**changes):
    return shaken(GPT2LMHeadModel(GPT2Config(
        vocab_size=37, n_positions=11, n_embd=12, n_layer=3, n_head=4, n_inner=20,
        bos_token_id=0, eos_token_id=0, **changes)))  # fmt: skip


@pytest.mark.parametrize("size", ["1GB", "5KB"])
def test_their_gpt2_is_read_whole_or_in_pieces(tmp_path, size):
    theirs, ids = their_gpt2(), torch.randint(37, (2, 9))
    theirs.save_pretrained(tmp_path, max_shard_size=size)
    assert (tmp_path / "model.safetensors.index.json").exists() == (size == "5KB")
    ours = from_folder(tmp_path)
    assert isinstance(ours, GPT) and not ours.training
    torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=0, atol=1e-5)


def test_an_untied_gpt2(tmp_path):
    theirs, ids = their_gpt2(tie_word_embeddings=False), torch.randint(37, (2, 9))
    theirs.save_pretrained(tmp_path)
    torch.testing.assert_close(from_folder(tmp_path)(ids), theirs(ids).logits, rtol=0, atol=1e-5)


def test_the_encoder_of_their_bert(tmp_path):
    theirs, ids = published_bert().float().eval(), torch.randint(37, (2, 9))
    theirs.save_pretrained(tmp_path)
    ours = from_folder(tmp_path)
    assert isinstance(ours, Bert)
    assert (ours.config.d_ff, ours.config.n_segments) == (SIZES.d_ff, SIZES.n_segments)
    wanted = theirs.bert(ids).last_hidden_state
    torch.testing.assert_close(ours(ids), wanted, rtol=0, atol=1e-5)


def test_they_read_what_is_written_here(tmp_path):
    ours, ids = shaken(GPT(SHAPE)), torch.randint(37, (2, 9))
    folder = write_gpt2(ours, tmp_path / "new" / "gpt")
    theirs = GPT2LMHeadModel.from_pretrained(folder, local_files_only=True).eval()
    torch.testing.assert_close(theirs(ids).logits, ours(ids), rtol=0, atol=1e-5)
    again = from_folder(folder).state_dict()
    assert all(torch.equal(t, again[name]) for name, t in ours.state_dict().items())


def test_a_model_that_is_no_gpt2_writes_nothing(tmp_path):
    with pytest.raises(ValueError, match="positions='learned', as GPT-2 has, got 'rotary'"):
        write_gpt2(GPT(GPTConfig(37, 11, 12, 3, 2, positions="rotary")), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_pickled_folders_and_odd_ones(tmp_path):
    theirs, ids = their_gpt2(), torch.randint(37, (2, 9))
    with pytest.raises(ValueError, match="folder must hold config.json, got"):
        from_folder(tmp_path)
    theirs.config.save_pretrained(tmp_path)
    torch.save(theirs.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match="a pickle can run any code"):
        from_folder(tmp_path)
    ours = from_folder(tmp_path, allow_pickle=True)
    torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=0, atol=1e-5)
    (tmp_path / "config.json").write_text("{", encoding="utf8")
    with pytest.raises(ValueError, match="config.json must be JSON"):
        from_folder(tmp_path)


def test_a_config_that_does_not_fit_lists_all(tmp_path):
    write_gpt2(GPT(SHAPE), tmp_path)
    file = tmp_path / "config.json"
    said = json.loads(file.read_text(encoding="utf8"))
    file.write_text(json.dumps({**said, "n_layer": 2, "vocab_size": 40}), encoding="utf8")
    with pytest.raises(ValueError, match=r"12 left over \(h.2.attn.*wte.weight needs \(40"):
        from_folder(tmp_path)


def test_reading_leaves_the_random_numbers_alone(tmp_path):
    write_gpt2(GPT(SHAPE), tmp_path)
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    from_folder(tmp_path)
    assert torch.equal(torch.rand(1), wanted)
