"""Exercises over lists and texts: copies go in, and results are shown as what they are."""

import torch

from course_lib.checks.lesson_11 import decode, merge_step
from course_lib.checks.listed import Listed, listed
from course_lib.checks.run import Case


def exercise(reference, text=False):
    return Listed(
        name="lesson_00.doubled", task="Double.", stub=listed(stub), reference=listed(reference),
        explanation="Twice.", cases=(Case({"ids": [3, 5]}),), mistakes=(), text=text,
        hints=("Twice what?", "Each of them.", "```python\nreturn ...\n```"),
    )  # fmt: skip


def stub(ids):
    raise NotImplementedError


def doubled(ids):
    return [2 * i for i in ids]


def test_the_caller_s_list_stays_as_it_was():
    ids = [1, 2]

    def emptied(ids):
        ids.clear()
        return ids

    assert listed(emptied)(ids).tolist() == [] and ids == [1, 2]
    merge_step.judge(lambda ids, pair, new_id: ids.clear() or ids)
    assert merge_step.judge(merge_step.reference).passed


def test_lists_and_texts_become_numbers_and_others_stay():
    assert listed(doubled)([3, 5]).tolist() == [6, 10]
    assert listed(lambda ids: "é")([]).tolist() == [233]
    assert listed(lambda ids: [1.5])([]) == [1.5] and listed(lambda ids: None)([]) is None


def test_a_wrong_list_stands_beside_the_right_one():
    outcome = exercise(doubled).judge(lambda ids: [6, 11, 0])
    assert outcome.message == "The result is [6, 11, 0]; expected [6, 10]."
    assert exercise(doubled).judge(doubled).passed


def test_a_wrong_text_is_shown_as_text():
    wrong = exercise(lambda ids: "six ten", text=True).judge(lambda ids: "six tén")
    assert wrong.message == "The result is 'six tén'; expected 'six ten'."


def test_what_is_neither_list_nor_text_is_told_so():
    for answer in (lambda ids: [0.5], lambda ids: {1: 2}, lambda ids: [[1], [2]], lambda ids: 6):
        outcome = exercise(doubled).judge(answer)
        assert outcome.message == "Your function must return a list of whole numbers."
    assert decode.judge(lambda ids, vocab: b"tea").message == "Your function must return a text."
    nothing = exercise(doubled).judge(lambda ids: print(end=""))
    assert "returns nothing" in nothing.message


def test_a_tensor_of_whole_numbers_is_right_too():
    assert exercise(doubled).judge(lambda ids: 2 * torch.tensor(ids)).passed


def test_a_list_without_end_is_cut_where_it_is_shown():
    message = exercise(doubled).judge(lambda ids: [6] * 5000).message
    assert len(message) < 200 and "5000 numbers in all]; expected [6, 10]." in message
