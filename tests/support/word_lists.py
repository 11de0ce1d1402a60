"""Small words over few symbols, so that ties and overlapping pairs (a a a) are common."""

from hypothesis import strategies as st

WORDS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=14), min_size=1, max_size=9)
FOUR_BYTES = [b"b", b"a", b"ab", b"c"]  # ids, bytes and their order all differ
