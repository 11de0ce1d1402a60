"""What is it about?  First sentences of Wikipedia articles, with the topic that people gave each.

The sentences are short quotations; who prints one names Wikipedia and the licence, CC BY-SA 4.0
(``corpora.wikipedia.ABOUT.attribution``).
"""

import re
from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.corpora.two_parts import digest
from course_lib.data.corpora.wikipedia import articles
from course_lib.data.labelled_texts import LabelledTexts, labelled_texts
from course_lib.tokenizers.bert_pair import encode_pair
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.vocabulary import PAD
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

N_TRAIN, N_CHOICE, N_TEST = 4000, 600, 3000
MAX_TOKENS = 64  # of a sentence; what is longer loses its end
_NO_TOPIC = "Uncategorized"  # the thousand most vital articles
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SHORT = 40  # characters: a sentence that ends before was cut behind an abbreviation


@dataclass(frozen=True)
class Topics:
    """Sentences with their topics: to learn from, to choose settings on, and to measure on.

    Attributes:
        names: of the topics; a label is a place among them.
        sentences: of each part, as they were written.
        train, choice, test: the same as ids of BERT's published vocabulary.
    """

    names: tuple[str, ...]
    sentences: dict[str, tuple[str, ...]]
    train: LabelledTexts
    choice: LabelledTexts
    test: LabelledTexts


def wiki_topics(n_train: int = N_TRAIN, n_choice: int = N_CHOICE, n_test: int = N_TEST) -> Topics:
    """Take first sentences of articles in the order of a hash of the title: a fair sample.

    No article is in two parts, and the test sentences are the same however many are learnt.

    Raises:
        ModuleNotFoundError: if a package of the extras "text" and "pretrained" is not there.
        ValueError: if more are asked for than there are.
    """
    require_whole(1, n_train=n_train, n_choice=n_choice, n_test=n_test)
    found = [a for part in articles() for a in part if a.topic != _NO_TOPIC]
    found.sort(key=lambda article: digest(article.title))
    if n_train + n_choice + n_test > len(found):
        raise ValueError(
            f"n_train + n_choice + n_test must be <= {len(found)}, as many as have a topic, "
            f"got {n_train + n_choice + n_test}"
        )
    names = tuple(sorted({article.topic for article in found}))
    tokenizer = WordPieceTokenizer(published_vocabulary())
    sentences, parts, begin = {}, {}, 0
    for part, n in (("test", n_test), ("choice", n_choice), ("train", n_train)):
        few = found[begin : begin + n]
        begin += n
        sentences[part] = tuple(first_sentence(article.extract) for article in few)
        labels = torch.tensor([names.index(article.topic) for article in few])
        parts[part] = encoded(tokenizer, sentences[part], labels)
    return Topics(names, sentences, **parts)


def encoded(
    tokenizer: WordPieceTokenizer, sentences: tuple[str, ...], labels: Int64[Tensor, " text"]
) -> LabelledTexts:
    """Turn sentences into ids."""
    inputs = [encode_pair(tokenizer, sentence, max_seq_len=MAX_TOKENS, allow_special=False)
              for sentence in sentences]  # fmt: skip
    return labelled_texts(inputs, labels, tokenizer.vocabulary.id_of(PAD))


def first_sentence(text: str) -> str:
    """Cut a text behind its first sentence; "St. Paul" alone is none."""
    pieces = _SENTENCE_END.split(" ".join(text.split()))
    sentence = pieces.pop(0)
    while pieces and len(sentence) < _SHORT:
        sentence += f" {pieces.pop(0)}"
    return sentence
