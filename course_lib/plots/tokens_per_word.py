"""Vocabulary size against tokens: for each word, and for one message in five languages."""

from course_lib.plots.style import GREY, K, Q, V, label_line

COLOURS = (GREY, K, Q)
MOST = 250  # tokens; the bars' axis stands still while the vocabulary grows


def draw(fig, data):
    """Draw one ``Costs``; the update moves the line at its size and the bars."""
    left, right = fig.subplots(1, 2, width_ratios=(1.25, 1))
    marker, dots = _per_word(left, data)
    bars, numbers = _sentences(right, data)

    def update(data):
        at = data.sizes.index(data.n_tokens)
        marker.set_xdata([data.n_tokens, data.n_tokens])
        for dot, values in zip(dots, data.per_word.values(), strict=True):
            dot.set_data([data.n_tokens], [values[at]])
        counts = [row[at] for row in data.sentences.values()]
        for bar, number, count in zip(bars, numbers, counts, strict=True):
            bar.set_width(count)
            number.set_text(str(count))
            number.xy = (count, number.xy[1])
        return [marker, *dots, *bars, *numbers]

    return update


def say(data) -> str:
    """Say what a word costs at this size, and what the sentences cost."""
    at = data.sizes.index(data.n_tokens)
    words = ", ".join(f"{name} {values[at]:.2f}" for name, values in data.per_word.items())
    counts = ", ".join(f"{name} {row[at]}" for name, row in data.sentences.items())
    return (
        f"A vocabulary of {data.n_tokens:,}. Tokens for each word: {words}. "
        f"Tokens for the same four sentences: {counts}."
    )


def _per_word(axes, data):
    """A curve for each text, and a dot on it at the size that is looked at."""
    at = data.sizes.index(data.n_tokens)
    axes.set(xscale="log", xlim=(data.sizes[0] / 1.15, data.sizes[-1] * 3.4), ylim=(0, 11))
    axes.set_xticks(data.sizes, [f"{n:,}" for n in data.sizes])
    axes.minorticks_off()
    axes.set(xlabel="tokens in the vocabulary (logarithmic)", ylabel="tokens for each word")
    marker = axes.axvline(data.n_tokens, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    dots, ends = [], _apart([values[-1] for values in data.per_word.values()], 0.95)
    for (name, values), colour, end in zip(data.per_word.items(), COLOURS, ends, strict=False):
        axes.plot(data.sizes, values, color=colour)
        dots += axes.plot([data.n_tokens], [values[at]], "o", color=colour)
        label_line(axes, data.sizes[-1], float(end), name, colour, dx=9)
    return marker, dots


def _apart(heights, least):
    """Move labels apart, upwards from the lowest, until each has its own line."""
    placed, last = {}, -least
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        placed[i] = last = max(heights[i], last + least)
    return [placed[i] for i in range(len(heights))]


def _sentences(axes, data):
    """One bar a language, with its number of tokens."""
    at = data.sizes.index(data.n_tokens)
    names, counts = list(data.sentences), [row[at] for row in data.sentences.values()]
    axes.set(xlim=(0, MOST * 1.1), xlabel="tokens", yticks=range(len(names)), yticklabels=names)
    axes.set_title("the same four sentences")
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    bars = axes.barh(range(len(names)), counts, height=0.6, color=V)
    numbers = [label_line(axes, count, row, str(count), "black")
               for row, count in enumerate(counts)]  # fmt: skip
    return bars, numbers
