import json
from dataclasses import asdict

import pytest
import safetensors.torch
import torch
from optional_packages import needs
from tiny import SHAPE

from course_lib.config import BertConfig, GPTConfig
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped import NAMES, Shipped, load, log, write
from course_lib.models.shipped.files import HERE
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS
from course_lib.tokenizers.wordpiece import WordPieceTokenizer
from course_lib.tokenizers.words import WordTokenizer

WORDS = ("<|story|>", *"abcdefghijkl")
TEXT = "an old café, an odd table\n"


def shaped(kind, vocab_size, **changes):
    shape = {name: getattr(SHAPE, name) for name in kind.__dataclass_fields__
             if hasattr(SHAPE, name)}  # fmt: skip
    return kind(**{**shape, "vocab_size": vocab_size, "init_std": 0.3, **changes})


def small(tie=True):
    torch.manual_seed(3)
    config = shaped(GPTConfig, 13, tie_embeddings=tie)
    return Shipped("small", GPT(config).eval(), WordTokenizer(WORDS), 0)


def with_merges():
    torch.manual_seed(4)
    tokenizer = BPETokenizer.train(TEXT, 264, special_tokens=["<|end|>"])
    return Shipped("small", GPT(shaped(GPTConfig, 264)).eval(), tokenizer)


def masked():
    torch.manual_seed(5)
    pieces = WordPieceTokenizer.train(TEXT, 32, lower_case=False)
    return Shipped("small", BertPretraining(shaped(BertConfig, 32)).eval(), pieces)


KINDS = {"words": small, "not tied": lambda: small(tie=False), "bpe": with_merges, "bert": masked}


@pytest.fixture(params=KINDS)
def before(request):
    return KINDS[request.param]()


def test_what_was_written_is_read_back_rounded_to_16_bits(tmp_path, before):
    path = write(before, {"steps": [1, 2]}, tmp_path)
    after = load("small", tmp_path)
    assert type(after.model) is type(before.model) and after.model.config == before.model.config
    assert (after.words, after.boundary_id) == (before.words, before.boundary_id)
    assert not after.model.training and log("small", tmp_path) == {"steps": [1, 2]}
    weights = dict(before.model.named_parameters())
    assert set(weights) == set(dict(after.model.named_parameters()))
    for name, weight in after.model.named_parameters():
        assert weight.dtype == torch.float32
        assert torch.equal(weight, weights[name].half().float()), name
    # A table that two layers share is stored once.
    assert path.stat().st_size < 2.2 * sum(w.numel() for w in weights.values()) + 20_000
    ids = torch.tensor([[1, 5, 2]])
    for a, b in zip(after.model(ids), before.model(ids), strict=True):
        torch.testing.assert_close(a, b, rtol=0.05, atol=0.05)


def test_the_tokenizer_comes_back_whole(tmp_path, before):
    write(before, {}, tmp_path)
    after = load("small", tmp_path)
    text = "c a" if "c" in before.words[:13] and before.boundary_id == 0 else TEXT + "CAFÉ"
    assert after.encode(text) == before.encode(text)
    assert after.decode(after.encode(text)) == before.decode(before.encode(text))
    for name in ("pattern", "merges", "special_tokens", "lower_case", "max_chars"):
        assert getattr(after.tokenizer, name, 0) == getattr(before.tokenizer, name, 0), name


def test_the_first_format_is_still_read(tmp_path):
    """It knew GPT over words alone, and named the tied table once."""
    before = small()
    notes = {"format": "course_lib.shipped.1", "words": json.dumps(WORDS), "boundary_id": "0",
             "config": json.dumps(asdict(before.model.config))}  # fmt: skip
    weights = {name: w.half() for name, w in before.model.state_dict().items()
               if name != "lm_head.weight"}  # fmt: skip
    safetensors.torch.save_file(weights, tmp_path / "small.safetensors", notes)
    after = load("small", tmp_path)
    assert after.words == WORDS and after.boundary_id == 0 and after.encode("c a") == [3, 1]
    assert torch.equal(after.model.tokens.weight, before.model.tokens.weight.half().float())
    assert after.model.lm_head.weight is after.model.tokens.weight


def test_loading_leaves_the_random_numbers_as_they_were(tmp_path):
    write(small(), {}, tmp_path)
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    load("small", tmp_path)
    assert torch.equal(torch.rand(3), wanted)


def test_words_go_to_ids_and_back():
    model = small()
    assert model.encode("b a l") == [2, 1, 12]
    assert model.decode(torch.tensor([2, 1, 0])) == "b a <|story|>"
    assert model.prompt("b a").tolist() == [[0, 2, 1]] and model.prompt().tolist() == [[0]]


def test_what_stands_around_a_text():
    model = masked()
    cls, sep = (SPECIAL_TOKENS.index(token) for token in ("[CLS]", "[SEP]"))
    assert model.prompt("an old [MASK]").tolist() == [[cls, *model.encode("an old [MASK]"), sep]]
    model = with_merges()
    assert model.prompt(TEXT).tolist() == [model.encode(TEXT)]
    with pytest.raises(ValueError, match="text must not be empty, for small knows no boundary"):
        model.prompt()


def test_a_tokenizer_of_another_size_is_named():
    model = with_merges()
    with pytest.raises(ValueError, match="tokenizer must have vocab_size = 264, .* got 13"):
        Shipped("odd", model.model, WordTokenizer(WORDS))


@pytest.mark.parametrize(("act", "said"), [
    (lambda model: model.encode("a zebra b"), "13 words of the vocabulary, got 'zebra'"),
    (lambda model: model.decode([3, 13]), r"ids must lie in \[0, 13\), got 13"),
    (lambda model: model.decode([-1]), "got -1"),
])  # fmt: skip
def test_what_has_no_place_in_the_vocabulary_is_named(act, said):
    with pytest.raises(ValueError, match=said):
        act(small())


def test_a_weight_too_large_for_16_bits_is_named_and_nothing_is_written(tmp_path):
    model = small()
    with torch.no_grad():
        model.model.final_norm.weight[2] = 70_000.0
    with pytest.raises(ValueError, match="final_norm"):
        write(model, {}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [
    lambda data: data[:200], lambda data: data[:-10], lambda data: b"", lambda data: b"x" * 500,
    lambda data: data.replace(b"course_lib.shipped.2", b"course_lib.shipped.9"),
    lambda data: data.replace(b"blocks.1.norm_1.bias", b"blocks.1.norm_7.bias"),
    lambda data: data.replace(b'"family":"GPT"', b'"family":"GPS"'),
    lambda data: data.replace(b'"tokenizer":"words"', b'"tokenizer":"wards"'),
    lambda data: data.replace(b'\\"d_ff\\": 32', b'\\"d_ff\\": 23'),
])  # fmt: skip
def test_a_damaged_file_is_named(tmp_path, damage):
    path = write(small(), {}, tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="small.safetensors"):
        load("small", tmp_path)


def test_an_unknown_name_is_named():
    with pytest.raises(ValueError, match="name must be one of .*stories-gpt.*, got 'storys'"):
        load("storys")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shipped_is_small_and_its_log_says_how_it_was_made(name):
    assert (HERE / f"{name}.safetensors").stat().st_size <= 8_000_000
    made = log(name)
    assert made["command"].startswith(f"python3 -m course_lib train {name} ")
    shipped = load(name)
    assert made["parameters"] == sum(p.numel() for p in shipped.model.parameters())
    assert type(shipped.model.config)(**made["model"]) == shipped.model.config
    assert len(shipped.words) == shipped.model.config.vocab_size
    assert shipped.model.config.vocab_size == shipped.tokenizer.vocab_size


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("bible")])
def test_a_model_of_a_real_text_says_whose_text_it_is(name):
    made = log(name)
    assert made["text"] == "World English Bible" and made["licence"] == "public domain"
    assert "World English Bible" in made["attribution"]
    assert made["seconds"] < 2 * 40 * 60  # of one thread


def test_the_shipped_stories_are_near_their_floor():
    for name, most in (("stories-gpt", 1.25), ("modern-stories-gpt", 1.12)):
        made, words = log(name), load(name).words
        assert made["floor"] < made["validation_loss"] < most * made["floor"]
        assert len(words) == len(set(words))


def test_the_words_of_stories_gpt_are_those_of_the_stories():
    from course_lib.data.training_text import BOUNDARY, story_ids

    model, text = load("stories-gpt"), story_ids(n_stories=20, n_held_out=100)
    assert model.boundary_id == text.boundary_id and model.words[text.boundary_id] == BOUNDARY
    row = text.validation.inputs[3]
    assert model.decode(row) == text.decode(row)


def test_the_shipped_loss_is_what_the_log_says():
    from course_lib.data.training_text import story_ids
    from course_lib.training.objectives import mean_loss

    held_out = story_ids(n_stories=20).validation
    loss = mean_loss(load("stories-gpt").model, held_out.inputs, held_out.targets, 50)
    # The log was written before the weights were rounded to 16 bits.
    assert loss == pytest.approx(log("stories-gpt")["validation_loss"], abs=2e-3)


def test_the_bert_of_the_stories_is_as_good_as_its_log_says():
    from course_lib.data.story_pairs import next_part_pairs, story_masking
    from course_lib.training.pretraining import Pretraining

    held_out, masking = next_part_pairs(20, 300).validation, story_masking()
    shipped, made = load("stories-bert"), log("stories-bert")["measured"]
    task = Pretraining(held_out, held_out, masking, 0.15)
    found = task.measure(shipped.model, task.fixed(96, 300), 50)
    # 300 pairs hide about 2,000 words and have as many answers: three standard errors each.
    assert found["masked accuracy"] == pytest.approx(made["masked accuracy"], abs=0.025)
    assert found["nsp accuracy"] == pytest.approx(made["nsp accuracy"], abs=0.07)


@needs("web-bible")
def test_the_shipped_gpt_of_a_real_text_is_as_good_as_its_log_says():
    from course_lib.data.corpora import corpus
    from course_lib.training.objectives import mean_loss, spread_windows

    shipped, made = load("bible-gpt"), log("bible-gpt")
    held_out = corpus("web-bible").validation.decode("utf8")
    ids = torch.tensor(shipped.encode(held_out))
    assert shipped.decode(ids[:500]) == held_out[: len(shipped.decode(ids[:500]))]
    settings, seq_len = made["settings"], shipped.model.config.max_seq_len
    rows = spread_windows(ids, seq_len, settings["eval_batches"] * settings["batch_size"])
    loss = mean_loss(shipped.model, *rows, 8)
    # The last look was taken before the weights were rounded to 16 bits.
    assert loss == pytest.approx(made["validation_losses"][-1], abs=3e-3)


@needs("web-bible")
def test_the_shipped_bert_is_as_good_as_its_log_says():
    from course_lib.data.corpora import corpus
    from course_lib.data.corpus_pairs import texts_of
    from course_lib.data.masking import Masking
    from course_lib.data.paired_texts import PairRows, paired_texts
    from course_lib.tokenizers.bert_pair import join_pair
    from course_lib.training.pretraining import figures, grade, hide

    shipped, made = load("bible-bert"), log("bible-bert")
    chapters = texts_of(corpus("web-bible").validation.decode("utf8"))
    inputs = [
        join_pair(shipped.tokenizer, *(shipped.encode(verse)[:46] for verse in chapter[i : i + 2]))
        for chapter in chapters for i in range(0, len(chapter) - 1, 5)
    ]  # fmt: skip
    vocabulary = shipped.tokenizer.vocabulary
    special = tuple(vocabulary.id_of(token) for token in vocabulary.special_tokens)
    masking = Masking(vocabulary.id_of("[MASK]"), len(vocabulary), special)
    rows = PairRows(*paired_texts(inputs, [0] * len(inputs), vocabulary.id_of("[PAD]")).rows)
    batch = hide(rows, masking, torch.Generator().manual_seed(0))
    found = figures(grade(shipped.model, batch, masking.mask_id, 50))
    # About 5,000 hidden words: three standard errors are 0.02; all pairs are there, not a half.
    assert found["masked accuracy"] == pytest.approx(made["measured"]["masked accuracy"], abs=0.03)
    assert found["kept accuracy"] > 0.9
    assert found["nsp accuracy"] > 0.65
