"""A real text as BERT reads it: pairs of sentences in word pieces, half of them strangers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.corpora.two_parts import Corpus
from course_lib.data.masking import Masking
from course_lib.data.paired_texts import PairedTexts, paired_texts
from course_lib.data.pairs import next_sentence_pairs
from course_lib.data.randomness import generator_for
from course_lib.tokenizers.bert_pair import EncodedPair, join_pair, truncate_longest_first
from course_lib.tokenizers.vocabulary import MASK, PAD
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")  # "St. Paul" is cut as well; it is rare
_N_SPECIAL = 3  # [CLS], [SEP] and [SEP]
_MAX_ALPHABET = 100  # characters; what is rarer becomes [UNK]


@dataclass(frozen=True)
class CorpusPairs:
    """Pairs of sentences of a real text, to learn from and to measure on.

    Attributes:
        train, validation: as ids, with labels.
        tokenizer: its pieces were learnt from the training part alone.
        masking: how tokens are hidden.
    """

    train: PairedTexts
    validation: PairedTexts
    tokenizer: WordPieceTokenizer
    masking: Masking


def corpus_pairs(
    corpus: Corpus, vocab_size: int = 2048, max_seq_len: int = 96, n_copies: int = 4, seed: int = 0
) -> CorpusPairs:
    """Pair each sentence with the next one of its text, or with one of another text.

    Args:
        corpus: texts with empty lines between them.
        vocab_size: word pieces, without case and accents.
        max_seq_len: of a pair, with its special tokens; longer pairs lose their ends.
        n_copies: how often each sentence of the training part is paired, with new strangers
            each time.  With one copy, a model that reads it again and again can learn them by
            heart; Devlin et al.'s code makes 10.
    """
    require_whole(1, n_copies=n_copies)
    require_whole(_N_SPECIAL + 2, max_seq_len=max_seq_len)
    parts = [texts_of(part.decode("utf8")) for part in (corpus.train, corpus.validation)]
    tokenizer = WordPieceTokenizer.train(
        (sentence for text in parts[0] for sentence in text), vocab_size,
        max_alphabet=_MAX_ALPHABET,
    )  # fmt: skip
    rows = [
        _rows([[tokenizer.encode(sentence, allow_special=False) for sentence in text]
               for text in part], tokenizer, max_seq_len, copies, seed)
        for part, copies in zip(parts, (n_copies, 1), strict=True)
    ]  # fmt: skip
    vocabulary = tokenizer.vocabulary
    special = tuple(vocabulary.id_of(token) for token in vocabulary.special_tokens)
    masking = Masking(vocabulary.id_of(MASK), len(vocabulary), special)
    return CorpusPairs(*rows, tokenizer, masking)


def texts_of(raw: str) -> list[list[str]]:
    """Cut a corpus at empty lines into texts, and each into sentences; single ones are left out.

    A text's lines are its sentences (a verse is one); a text of one line is cut behind full stops.
    """
    texts = []
    for block in re.split(r"\n\s*\n", raw):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        sentences = _SENTENCE_END.split(lines[0]) if len(lines) == 1 else lines
        if len(sentences) > 1:
            texts.append(sentences)
    return texts


def _rows(
    texts: Sequence[Sequence[list[int]]], tokenizer: WordPieceTokenizer, max_seq_len: int,
    n_copies: int, seed: int,
) -> PairedTexts:  # fmt: skip
    """Pair the sentences so many times, and put the pairs into rows."""
    inputs: list[EncodedPair] = []
    labels: list[int] = []
    for copy in range(n_copies):
        for pair in next_sentence_pairs(texts, generator_for(seed, copy, "pairs")):
            cut = truncate_longest_first(pair.first, pair.second, max_seq_len - _N_SPECIAL)
            inputs.append(join_pair(tokenizer, *cut))
            labels.append(pair.label)
    return paired_texts(inputs, labels, tokenizer.vocabulary.id_of(PAD))
