"""Oracles for byte-level BPE: tiktoken and Hugging Face tokenizers, offline."""

import json

import pytest
from hypothesis import strategies as st
from optional_packages import loaded

from course_lib import packaged
from course_lib.tokenizers.byte_alphabet import from_visible

# Characters that this Python's tables know.  Those of a newer Unicode are letters for the library
# with the newer tables only, and are cut accordingly; see test_letters_of_a_newer_unicode.
ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))
AWKWARD = ["'s", "'S", "don't", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u0000",
           "\u0301", "\u200d", "\ufe0f", "👩‍👩‍👧", "🏽", "🇬🇧", "שלום", "مرحبا", "\u202e", "中文",
           "한국어", "é", "e\u0301", "ﬁ", "ǆ", "٣", "½", "Ⅷ", "<|endoftext|>", "<|endof", "0123",
           "...", "the", " the", "_", "\ufffd", "\U0010ffff"]  # fmt: skip
UNICODE = st.lists(ASSIGNED | st.sampled_from(AWKWARD), max_size=40).map("".join)


def gpt2_files():
    """The published files, or a skipped test; where the extras are required, it fails."""
    return loaded(lambda: (packaged.find("gpt2-encoder"), packaged.find("gpt2-merges")))


def tiktoken_gpt2():
    """tiktoken's GPT-2 encoding; it would download the same two files."""
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks

    encoder, merges = map(str, gpt2_files())
    ranks = data_gym_to_mergeable_bpe_ranks(merges, encoder)
    from tiktoken_ext.openai_public import r50k_pat_str

    special = {"<|endoftext|>": 50256}
    return tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens=special
    )


def hugging_face_trained(texts, n_merges):
    """Train Hugging Face's byte-level BPE; return the tokenizer and its merges as bytes."""
    hf = pytest.importorskip("tokenizers")
    trained = hf.Tokenizer(hf.models.BPE())
    trained.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = hf.decoders.ByteLevel()
    trainer = hf.trainers.BpeTrainer(
        vocab_size=256 + n_merges, show_progress=False,
        initial_alphabet=hf.pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    trained.train_from_iterator(texts, trainer)
    merges = json.loads(trained.to_str())["model"]["merges"]
    return trained, [(from_visible(left), from_visible(right)) for left, right in merges]
