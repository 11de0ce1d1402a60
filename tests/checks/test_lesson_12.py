"""Other right answers to lesson 12 pass, and wrong ones that are easy to write do not."""

import pytest
import torch

from course_lib.checks.lesson_12 import cut_word, first_fault, pair_input
from course_lib.checks.lesson_12.cut_word import HEAT, PINS, WATER
from course_lib.checks.lesson_12.first_fault import VOCAB
from course_lib.tokenizers.bert_pair import join_pair
from course_lib.tokenizers.wordpiece import WordPieceTokenizer, longest_match


def test_the_library_s_own_function_passes():
    assert cut_word.judge(lambda word, v: [v[p] for p in longest_match(word, v)]).passed


def test_cutting_by_recursion_passes():
    def cut(word, vocab, mark=""):
        if not word:
            return []
        for end in reversed(range(1, len(word) + 1)):
            if mark + word[:end] in vocab:
                rest = cut(word[end:], vocab, "##")
                unknown = [vocab["[UNK]"]]
                return unknown if rest == unknown else [vocab[mark + word[:end]], *rest]
        return [vocab["[UNK]"]]

    assert cut_word.judge(cut).passed
    assert cut_word.judge(lambda word, vocab: tuple(cut(word, vocab))).passed


def test_pieces_in_place_of_ids_are_told_about():
    outcome = cut_word.judge(lambda word, vocab: longest_match(word, vocab))
    assert outcome.kind == "failed" and "list of whole numbers" in outcome.message


def test_unknown_ids_of_all_vocabularies_differ_in_their_reach():
    """The id of [UNK] is 0 in one vocabulary and 1 in another, so a typed 0 fails."""
    def typed(word, v):
        ids = cut_word.reference(word, v).tolist()
        return [0] if ids == [v["[UNK]"]] else ids

    assert {WATER["[UNK]"], PINS["[UNK]"], HEAT["[UNK]"]} == {0, 1}
    assert not cut_word.judge(typed).passed


def test_a_split_is_possible_exactly_when_it_is_the_library_s():
    def by_library(word, pieces, vocab):
        joined = "".join(piece.removeprefix("##") for piece in pieces)
        marks = all(piece.startswith("##") == (i > 0) for i, piece in enumerate(pieces))
        if joined != word or not marks:
            return 1
        if not set(pieces) <= vocab:
            return 2
        return 0 if longest_match(word, vocab) == list(pieces) else 3

    assert first_fault.judge(by_library).passed
    own = tuple(longest_match("unhappiness", VOCAB))
    assert first_fault.reference("unhappiness", own, VOCAB) == 0


def test_segments_as_fractions_or_of_another_length_fail():
    def fractions(a, b, cls, sep):
        ids, segments = pair_input.reference(a, b, cls, sep)
        return ids, segments.float()

    assert "dtype" in pair_input.judge(fractions).message
    assert not pair_input.judge(lambda a, b, cls, sep: pair_input.reference(a, b, sep, cls)).passed


def test_a_tokenizer_s_pair_is_the_exercise_s():
    tokenizer = WordPieceTokenizer.train("the tea is hot " * 3, 40)
    a, b = (torch.tensor(tokenizer.encode(text)) for text in ("the tea", "is hot"))
    cls, sep = (tokenizer.vocabulary.id_of(name) for name in ("[CLS]", "[SEP]"))
    made = join_pair(tokenizer, a.tolist(), b.tolist())
    ids, segments = pair_input.reference(a, b, cls, sep)
    assert tuple(ids.tolist()) == made.token_ids and tuple(segments.tolist()) == made.segment_ids


def _consuming(word, vocab):
    """A spelling that many courses print: the word is eaten from the left."""
    tokens = []
    while word:
        end = len(word)
        while end > 0 and word[:end] not in vocab:
            end -= 1
        if end == 0:
            return [vocab["[UNK]"]]
        tokens.append(word[:end])
        word = word[end:] and f"##{word[end:]}"
    return [vocab[token] for token in tokens]


@pytest.mark.parametrize("kind", [list, torch.tensor, lambda ids: torch.tensor(ids).numpy()])
def test_a_word_eaten_from_the_left_passes_in_any_container(kind):
    assert cut_word.judge(lambda word, vocab: kind(_consuming(word, vocab))).passed


def _goes_on(by, inside="##"):
    def cut(word, vocab):
        ids, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = (inside if start else "") + word[start:end]
                if piece in vocab:
                    break
            else:
                return [vocab["[UNK]"]]
            ids.append(vocab[piece])
            start = by(start, end, piece)
        return ids

    return cut


@pytest.mark.parametrize(("wrong", "name"), [
    (_goes_on(lambda start, end, piece: end + 1), "one character skipped"),
    (_goes_on(lambda start, end, piece: start + len(piece)), "the mark counted"),
    (_goes_on(lambda start, end, piece: 99), "the first piece only"),
    (_goes_on(lambda start, end, piece: end, inside=""), "no mark"),
    (lambda word, vocab: sorted(set(_consuming(word, vocab))),
     "each id once, in order of size"),
])  # fmt: skip
def test_a_slip_in_the_loop_is_named(wrong, name):
    assert cut_word.judge(wrong).mistake == name


def test_counting_pieces_is_not_the_third_test():
    def judge(longer):
        def first_of(word, pieces, vocab):
            right = first_fault.reference(word, pieces, vocab)
            return right if right in (1, 2) else 3 * longer(word, pieces, vocab)

        return first_fault.judge(first_of)

    fewer = judge(lambda word, pieces, vocab: len(longest_match(word, vocab)) < len(pieces))
    assert not fewer.passed
    joined = judge(lambda word, pieces, vocab: any(
        a + b[2:] in vocab for a, b in zip(pieces, pieces[1:], strict=False)))  # fmt: skip
    assert joined.mistake == "neighbours joined"


def test_a_pair_made_with_lists_or_with_a_running_count_passes():
    def lists(a, b, cls, sep):
        ids = [cls, *a.tolist(), sep]
        segments = [0] * len(ids)
        if b is not None:
            ids, segments = [*ids, *b.tolist(), sep], segments + [1] * (len(b) + 1)
        return torch.tensor(ids), torch.tensor(segments)

    def counted(a, b, cls, sep):
        ids, _ = lists(a, b, cls, sep)
        ends = (ids == sep).long()
        return ids, ends.cumsum(0) - ends

    assert pair_input.judge(lists).passed and pair_input.judge(counted).passed
    assert pair_input.judge(
        lambda a, b, cls, sep: lists(a, b if b else None, cls, sep)
    ).mistake == "a tensor asked whether it is true"  # fmt: skip
