"""Gaps of any text, filled in by a model with word pieces."""

from functools import cache

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.experiments.real_mask import real_mask
from course_lib.models.bert import BertPretraining
from course_lib.models.shipped import Shipped
from course_lib.plots import real_mask as plot
from course_lib.plots.style import new_figure
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

TEXT = "the king of [MASK] saw the [MASK]"


@cache
def shipped():
    tokenizer = WordPieceTokenizer.train("the king of Babylon saw the hand write " * 3, 60)
    torch.manual_seed(0)
    config = BertConfig(tokenizer.vocab_size, 12, 16, n_layers=1, n_heads=2, init_std=0.5)
    return Shipped("tiny", BertPretraining(config).eval(), tokenizer)


def test_each_gap_gets_its_likeliest_pieces():
    found = real_mask(shipped(), TEXT)
    tokenizer = shipped().tokenizer
    assert [found.pieces[i] for i in found.gaps] == ["[MASK]", "[MASK]"] and len(found.gaps) == 2
    ids = torch.tensor([tokenizer.vocabulary.id_of(piece) for piece in found.pieces])
    with torch.no_grad():
        probs = shipped().model(ids[None]).tokens[0].softmax(-1)
    for place, row in zip(found.gaps, found.answers, strict=True):
        best = probs[place].topk(5)
        assert [p for _, p in row] == pytest.approx(best.values.tolist())
        assert [tokenizer.vocabulary.tokens[i] for i in best.indices] == [piece for piece, _ in row]


@pytest.mark.parametrize(
    ("text", "message"),
    [("the king", r"text must hold \[MASK\]"), (TEXT + " the" * 9, "at most 10 pieces, got 16")],
)
def test_bad_input(text, message):
    with pytest.raises(ValueError, match=message):
        real_mask(shipped(), text)


def test_gaps_are_numbered_and_empty_panels_stay_empty():
    figure, _ = new_figure((9, 3), 100)
    data = real_mask(shipped(), TEXT)
    update = plot.draw(figure, real_mask(shipped(), "the [MASK]"))
    assert [axes.get_visible() for axes in figure.axes] == [True, False, False]
    assert update(data) is None  # draw all anew
    assert [axes.get_visible() for axes in figure.axes] == [True, True, False]
    assert figure._suptitle.get_text() == "the king of [1] saw the [2]"
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert [text for text in texts if text.startswith("gap")] == ["gap 1", "gap 2"]
    piece, p = data.answers[1][0]
    assert f"{piece}  {p:.0%}" in texts and f"gap 2: {piece!r} with {p:.0%}" in plot.say(data)
