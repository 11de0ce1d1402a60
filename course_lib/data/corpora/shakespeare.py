"""Tiny Shakespeare: a megabyte of the plays, loaded once."""

from course_lib.data.corpora.two_parts import About, Corpus
from course_lib.data.download import Download, fetch

FILE = Download(
    file_name="tinyshakespeare.txt",
    url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    n_bytes=1_115_394,
    sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)
ABOUT = About(
    name="Tiny Shakespeare",
    author="William Shakespeare, chosen by Andrej Karpathy",
    licence="public domain",
    source="github.com/karpathy/char-rnn, data/tinyshakespeare/input.txt",
    attribution="William Shakespeare; selection of Karpathy's char-rnn, 2015",
    comes="loaded once",
    n_bytes=FILE.n_bytes,
)


def tiny_shakespeare() -> Corpus:
    """Return Tiny Shakespeare, loaded into the user's cache folder when it is not there.

    Held out is the last tenth, cut where nanoGPT cuts it (in the middle of a line), so that
    losses per character can be compared with published ones: 1,003,854 bytes to train on and
    111,540 held out.

    Raises:
        ConnectionError: if it was never loaded and there is no network.
        ValueError: if the address sends another file.

    Source:
        Karpathy 2015, char-rnn; the cut: nanoGPT, data/shakespeare_char/prepare.py.
    """
    raw = fetch(FILE).read_bytes()
    cut = int(len(raw) * 0.9)
    return ABOUT.corpus(raw[:cut], raw[cut:])
