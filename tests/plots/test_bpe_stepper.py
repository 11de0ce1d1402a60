import pytest

from course_lib.plots import bpe_stepper
from course_lib.plots.bpe_stepper import MergeMade, Stepped
from course_lib.plots.style import new_figure

DATA = Stepped(
    words=[[b"l", b"ow"], [b" ", b"l", b"ow", b"ow"], [b"l", b"l", b"l"]], times=[2, 1, 1],
    pairs=[(b"l", b"ow", 3), (b"ow", b"ow", 3), (b"l", b"l", 2)], made=[b"ow"],
    last=MergeMade(b"o", b"w", 4, 1),
)  # fmt: skip


def drawn(data):
    figure, canvas = new_figure((9, 3.2), 100)
    bpe_stepper.draw(figure, data)
    canvas.draw()
    return figure.axes


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def marks(axes):
    """Beginning, end and row of each dashed line."""
    return [(*line.get_xdata(), line.get_ydata()[0]) for line in axes.get_lines()]


def test_words_stand_in_boxes_with_their_counts():
    words, _ = drawn(DATA)
    assert texts(words) == ["l", "ow", " ×2", "␣", "l", "ow", "ow", "l", "l", "l"]
    assert len(words.patches) == 9
    new = [box.get_linewidth() > 1 for box in words.patches]
    assert new == [False, True, False, False, True, True, False, False, False]


def test_the_next_pair_is_marked_in_all_places():
    words, _ = drawn(DATA)
    boxes = [box.get_x() for box in words.patches]
    starts = [start for start, _, _ in marks(words)]
    assert starts == pytest.approx([boxes[0] + 0.1, boxes[3] + 0.1])
    words, _ = drawn(DATA._replace(pairs=[(b"l", b"l", 2)]))
    boxes = [(box.get_x(), box.get_x() + box.get_width()) for box in words.patches]
    ((start, end, _),) = marks(words)  # of l l l the first two
    assert (start, end) == pytest.approx((boxes[6][0] + 0.1, boxes[7][1] - 0.1))


def test_pairs_have_counts_and_the_tie_is_named():
    _, pairs = drawn(DATA)
    assert texts(pairs) == [" 3 tie, next", " 3 tie", " 2 "]
    assert [label.get_text() for label in pairs.get_yticklabels()] == ["l + ow", "ow + ow", "l + l"]
    assert [bar.get_width() for bar in pairs.patches] == [3, 3, 2]
    assert texts(drawn(DATA._replace(pairs=[]))[1]) == ["no pair is left"]


def test_what_does_not_fit_is_counted():
    many = DATA._replace(words=[[b"abcdefgh"[:4], b"e"]] * 300, times=[1] * 300, made=[b"abcd"])
    seen = texts(drawn(many)[0])
    assert seen[-1] == f"and {300 - seen.count('abcd')} more distinct words"
    long = DATA._replace(words=[[b"a"] * 500], times=[3], pairs=[(b"a", b"a", 1497)])
    seen = texts(drawn(long)[0])
    assert seen[-1] == f" … and {500 - seen.count('a')} more boxes ×3"


def test_boxes_lie_within_the_picture():
    wide = Stepped(
        [[b"w" * 7] * (n % 9 + 1) for n in range(40)], [9] * 40, [], [b"w" * 7], None
    )
    words, _ = drawn(wide)
    right = max(box.get_x() + box.get_width() for box in words.patches)
    assert right < words.get_xlim()[1] and len(words.patches) > 10


def test_a_token_longer_than_a_row_leaves_a_note():
    words, _ = drawn(Stepped([[b"w" * 99], [b"a"]], [1, 1], [], [b"w" * 99], None))
    assert texts(words) == [" … and 1 more box", "a"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Merge 1 joined “o” and “w” into “ow”: the pair was there 4 times. Now 11 tokens in 4"
             " words, 2.75 a word; the vocabulary has 257 entries."),
        ({"last": MergeMade(b"o", b"w", 2, 3)}, "Merge 1 joined “o” and “w” into “ow”: the pair was"
         " there twice, as often as 2 other pairs; of these it has the greatest bytes. Now 11"
         " tokens in 4 words, 2.75 a word; the vocabulary has 257 entries."),
        ({"last": None, "made": [], "words": [[b"a", b"b"]], "times": [8]}, "No merge yet: 16 bytes"
         " in 8 words, 2.00 a word; the vocabulary has 256 entries, one for each byte."),
        ({"words": [[b"a"] * 17], "times": [1], "pairs": []}, "Merge 1 joined “o” and “w” into"
         " “ow”: the pair was there 4 times. Now 17 tokens in 1 word, 17.00 a word; the vocabulary"
         " has 257 entries. No pair is left: every word is one token."),
        ({"words": [], "times": []}, "There is no text: type some, or paste it."),
    ],
)  # fmt: skip
def test_the_sentence(changes, sentence):
    assert bpe_stepper.say(DATA._replace(**changes)) == sentence


def test_halves_go_up_as_in_javascript():
    assert bpe_stepper._ratio(17, 8) == "2.13"
    assert bpe_stepper._ratio(20_000, 3) == "6,666.67"
