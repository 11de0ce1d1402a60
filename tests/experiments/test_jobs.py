import pytest
import torch

from course_lib.config import BertConfig, GPTConfig
from course_lib.experiments.jobs import (
    FILL,
    JUDGE,
    MASK_ID,
    N_HEADS,
    SCORE,
    SHAPE,
    VOCAB_SIZE,
    WRITE,
    Work,
    fill_by_scoring,
    hide_each,
    jobs,
    work,
    write_with_masks,
)
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT


def test_what_each_job_takes():
    found = jobs(n_words=7, n_new=3)
    assert found[JUDGE] == {"BERT": Work(1, 7), "GPT": Work(1, 7)}
    assert found[FILL] == {"BERT": Work(1, 7), "GPT": Work(1, 7 * VOCAB_SIZE)}
    assert found[SCORE] == {"BERT": Work(1, 49), "GPT": Work(1, 7)}
    assert found[WRITE] == {"BERT": Work(3, 8 + 9 + 10), "GPT": Work(3, 7 + 2)}


def test_a_gap_is_filled_with_the_word_that_makes_the_text_likeliest():
    model = GPT(GPTConfig(**SHAPE, n_heads=N_HEADS, init_std=0.5)).eval()
    text = torch.tensor([[3, 50, 7, 7, 1]])
    filled = fill_by_scoring(model, text, 2)

    def log_p(ids):
        logits = model(ids).log_softmax(-1)
        return sum(logits[0, i, ids[0, i + 1]] for i in range(4))

    def put(word):
        other = text.clone()
        other[0, 2] = word
        return other

    best = max(range(VOCAB_SIZE), key=lambda word: log_p(put(word)).item())
    assert torch.equal(filled, put(best))


def test_each_word_is_hidden_once():
    hidden = hide_each(torch.tensor([[5, 6, 7]]))
    assert hidden.tolist() == [[MASK_ID, 6, 7], [5, MASK_ID, 7], [5, 6, MASK_ID]]


def test_a_bert_writes_one_word_after_the_other():
    model = BertPretraining(BertConfig(**SHAPE, n_heads=N_HEADS, init_std=0.5)).eval()
    text = torch.tensor([[5, 6, 7]])
    longer = write_with_masks(model, text, 2)
    assert longer.shape == (1, 5) and torch.equal(longer[:, :3], text)
    masked = torch.tensor([[5, 6, 7, longer[0, 3].item(), MASK_ID]])
    assert model(masked).tokens[0, -1].argmax() == longer[0, 4]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="job and family must be of .* got 'sing', 'GPT'"):
        work("sing", "GPT")
