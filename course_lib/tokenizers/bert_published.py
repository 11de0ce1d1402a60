"""The vocabulary that was published with BERT (uncased), found among the installed packages."""

from course_lib.packaged import find
from course_lib.tokenizers.vocabulary import Vocabulary


def published_vocabulary() -> Vocabulary:
    """Return the 30,522 tokens of bert-base-uncased.

    Raises:
        ModuleNotFoundError: if the package that carries them is not installed; the message says
            how to install it.
        ValueError: if its file is not the published one.

    Source:
        ``vocab.txt`` of bert-base-uncased, released with Devlin et al. 2019 (Apache License 2.0).
    """
    return Vocabulary.load(find("bert-vocabulary"))
