import pytest
import torch

from course_lib.config import BertConfig, GPTConfig
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.depends_on import TEXT, bert_influence, depends_on, gpt_influence
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.tokenizers.words import WordTokenizer

WORDS = tuple("Kate and Hugo were in the park . Kate found a map . she had it .".split())


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_a_bert_depends_on_both_sides(positions):
    vocab_size = len(story_tokenizer().vocabulary)
    shape = BertConfig(vocab_size, 40, d_model=8, n_layers=2, n_heads=2, positions=positions)
    found = bert_influence(BertPretraining(shape).double(), WORDS)
    assert found.shape == (len(WORDS), len(WORDS)) and (found > 0).all()
    # The residual stream carries each word up: without [CLS] and [SEP] it is on the diagonal.
    assert torch.equal(found.argmax(dim=-1), torch.arange(len(WORDS)))


def test_a_gpt_depends_on_the_past_alone():
    names = (*everyday_stories().vocabulary, "<|story|>")
    shape = GPTConfig(len(names), 40, d_model=8, n_layers=2, n_heads=2)
    shipped = Shipped("test", GPT(shape).eval(), WordTokenizer(names), len(names) - 1)
    found = gpt_influence(shipped, WORDS)
    assert found.shape == (len(WORDS), len(WORDS))
    assert torch.equal(found > 0, torch.ones_like(found, dtype=torch.bool).tril())


def test_the_lesson_s_text_is_made_of_the_stories_words():
    assert set(TEXT.split()) <= set(everyday_stories().vocabulary)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="place must be a whole number >= 1, got 0"):
        depends_on(0)
