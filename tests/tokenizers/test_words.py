import pytest
import torch

from course_lib.tokenizers.words import WordTokenizer

TOKENIZER = WordTokenizer(["the", "red", "."])


def test_words_go_to_ids_and_back():
    assert TOKENIZER.vocab_size == 3
    assert TOKENIZER.encode(" red the\n. ") == [1, 0, 2] and TOKENIZER.encode("") == []
    assert TOKENIZER.decode([1, 0, 2]) == TOKENIZER.decode(torch.tensor([1, 0, 2])) == "red the ."


@pytest.mark.parametrize(("act", "message"), [
    (lambda: TOKENIZER.encode("red cat"), "the 3 words of the vocabulary, got 'cat'"),
    (lambda: TOKENIZER.decode([0, 3]), r"ids must lie in \[0, 3\), got 3"),
    (lambda: TOKENIZER.decode([-1]), "got -1"),
    (lambda: WordTokenizer([]), "words must hold at least one word, got none"),
    (lambda: WordTokenizer(["a", "b", "a"]), "ids 0 and 2 are both 'a'"),
    (lambda: WordTokenizer(["a", "b c"]), "without spaces, got 'b c' for id 1"),
    (lambda: WordTokenizer(["a", ""]), "got '' for id 1"),
])  # fmt: skip
def test_bad_input_is_named(act, message):
    with pytest.raises(ValueError, match=message):
        act()
