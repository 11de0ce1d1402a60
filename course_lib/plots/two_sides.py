"""The likeliest words at one place of a story: from the words before it, and from both sides."""

from course_lib.plots.likely_words import BLANK, LikelyWords, around, end_of

SHOWN = 6  # words


def draw(fig, data):
    """Draw a ``TwoSides``: two panels of bars, each with the text that its reader has seen."""
    panels = fig.subplots(1, 2)
    sides = [
        LikelyWords(panels[0], "only the words before: next token", SHOWN),
        LikelyWords(panels[1], "all the other words: fill-mask", SHOWN),
    ]

    def update(data):
        word, before = data.words[data.place], list(data.words[: data.place])
        both = around(before, list(data.words[data.place + 1 :]))
        return [
            *sides[0].update(end_of(" ".join([*before, BLANK])), data.before, word),
            *sides[1].update(both, data.both, word),
        ]

    update(data)
    return update


def say(data) -> str:
    """Say what each reader gives to the word that was said."""
    word = data.words[data.place]
    return (
        f"Place {data.place + 1} of {len(data.words)}, where the story says {word!r}: from the "
        f"words before it {data.before[word]:.1%} (one of {len(data.before)} possible words), "
        f"from both sides {data.both[word]:.1%} (one of {len(data.both)})."
    )
