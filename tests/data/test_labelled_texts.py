import pytest
import torch

from course_lib.data.labelled_texts import LabelledRows, labelled_texts
from course_lib.tokenizers.bert_pair import EncodedPair


def some(lengths, labels):
    inputs = [EncodedPair((i + 1,) * n, (0,) * n) for i, n in enumerate(lengths)]
    return labelled_texts(inputs, labels, pad_id=0)


def test_labels_of_texts_and_of_spans_follow_their_rows():
    for labels in (torch.tensor([5, 6, 7]), torch.tensor([[5, 0], [6, 1], [7, 2]])):
        texts = some([5, 3, 4], labels)
        rows = texts.pick(torch.tensor([2, 1]))
        assert isinstance(rows, LabelledRows)
        assert rows.token_ids.tolist() == [[3, 3, 3, 3], [2, 2, 2, 0]]
        assert rows.labels.tolist() == labels[[2, 1]].tolist()


def test_labels_of_tokens_are_cut_with_their_rows():
    labels = torch.arange(15).reshape(3, 5)
    rows = some([5, 3, 4], labels).pick(torch.tensor([1, 2]))
    assert rows.labels.tolist() == [[5, 6, 7, 8], [10, 11, 12, 13]]


def test_the_first_are_among_all():
    texts = some([5, 3, 4], torch.tensor([5, 6, 7]))
    few = texts.first(2)
    assert len(few) == 2 and few.rows.labels.tolist() == [5, 6]
    assert few.lengths.tolist() == [5, 3]
    drawn = few.draw(2, torch.Generator().manual_seed(0))
    assert sorted(drawn.labels.tolist()) == [5, 6]
    with pytest.raises(ValueError, match="n_texts must be <= 3, as many as there are, got 4"):
        texts.first(4)


def test_one_label_for_each_text():
    with pytest.raises(ValueError, match="labels must be 3, one for each input, got 2"):
        some([5, 3, 4], torch.tensor([5, 6]))
