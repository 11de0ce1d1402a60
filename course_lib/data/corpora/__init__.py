"""Real texts to train on, each with its origin, its licence and a part that is held out."""

from course_lib.data.corpora.python_source import python_text
from course_lib.data.corpora.texts import TEXTS, corpus, table
from course_lib.data.corpora.two_parts import Corpus
from course_lib.data.corpora.wikipedia import Article, articles

__all__ = ["TEXTS", "Article", "Corpus", "articles", "corpus", "python_text", "table"]
