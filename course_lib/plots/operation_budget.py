"""Where a GPT's parameters are, and where its operations go, as shares of the whole."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V

PARTS = {
    "tables": ("table of tokens\n(and positions)", GREY),
    "attention": ("attention's\nmatrices", Q),
    "feed_forward": ("feed-forward\nlayers", V),
    "pairs": ("scores and mixes:\npairs of positions", K),
}
ROWS = ("parameters", "operations")
LONGEST = 32_768


def draw(fig, data):
    """Draw a ``Budget``: two bars of shares, and the operations' share of pairs by context."""
    left, right = fig.subplots(1, 2, width_ratios=(1.75, 1))
    left.set(xlim=(0, 1), ylim=(1.4, -0.7), yticks=[])
    left.set_xlabel("share of the whole")
    left.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    bars, numbers, wholes = {}, {}, {}
    for row, name in enumerate(ROWS):
        wholes[name] = left.text(0, row - 0.32, "", va="bottom")
        for part in PARTS:
            bars[name, part] = left.barh(row, 0, height=0.55, color=PARTS[part][1])[0]
            numbers[name, part] = left.text(0, row, "", color="white", ha="center", va="center")
    handles = [bars["operations", part] for part in PARTS]
    words = [word for word, _ in PARTS.values()]
    fig.legend(handles, words, loc="outside upper left", ncols=4, handlelength=1)
    axis = _curve(right, data)

    def update(data):
        for name in ROWS:
            wholes[name].set_text(f"{_short(sum(getattr(data, name).values()))} {name}")
            _stack(bars, numbers, name, getattr(data, name))
        _move(*axis, data)
        return [*bars.values(), *numbers.values(), *wholes.values(), *axis]

    update(data)
    return update


def say(data) -> str:
    """Say how the parameters and the operations are shared out."""
    config = data.config
    parts = []
    for name in ROWS:
        counts = getattr(data, name)
        whole = sum(counts.values())
        shares = ", ".join(
            f"{PARTS[part][0].replace(chr(10), ' ')} {count / whole:.1%}"
            for part, count in counts.items()
        )
        parts.append(f"{_short(whole)} {name}: {shares}")
    return (
        f"{config.n_layers} blocks of width {config.d_model}, {config.vocab_size:,} tokens in the "
        f"vocabulary, {config.max_seq_len:,} in the text. {'. '.join(parts)}."
    )


def _stack(bars, numbers, name, counts) -> None:
    """Lay the parts side by side, each with its share where there is room for it."""
    whole, start = sum(counts.values()), 0.0
    for part in PARTS:
        share = counts.get(part, 0) / whole
        bars[name, part].set(x=start, width=share)
        text = numbers[name, part]
        text.set_x(start + share / 2)
        text.set_text(f"{share:.0%}" if share >= 0.06 else "")
        start += share


def _curve(axes, data):
    """The share of the pairs in a block's operations, against the length of the text."""
    (curve,) = axes.plot(_tokens(), _share(data, _tokens()), color=K)
    axes.set(xscale="log", ylim=(0, 1), xlim=(_tokens()[0], LONGEST))
    axes.set(xlabel="tokens in the text (logarithmic)", ylabel="share of the pairs\nin a block")
    axes.set_xticks([128, 1024, 8192], ["128", "1024", "8192"])
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    half = axes.axvline(1, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    label = axes.annotate("", (1, 0.97), (-4, 0), xycoords=("data", "axes fraction"),
                          textcoords="offset points", ha="right", va="top", color=GREY)  # fmt: skip
    (mark,) = axes.plot([1], [1], "o", color=K, markersize=8)
    return curve, mark, half, label


def _move(curve, mark, half, label, data) -> None:
    """Put curve, mark and the line of one half where they belong for this width."""
    even = 6 * data.config.d_model
    curve.set_ydata(_share(data, _tokens()))
    mark.set_data([data.config.max_seq_len], [_share(data, data.config.max_seq_len)])
    half.set_xdata([even, even])
    label.xy = (even, 0.97)
    label.set_text(f"half at\n{even:,}")


def _tokens():
    return np.geomspace(64, LONGEST, 60)


def _share(data, n_tokens):
    """4 T^2 d of 24 T d^2 + 4 T^2 d operations."""
    return n_tokens / (6 * data.config.d_model + n_tokens)


def _short(count: int) -> str:
    """A large number in words: 124 million."""
    for size, word in ((1e15, "10^15"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= size:
            value = f"{count / size:.3g}"
            return f"{value} x {word}" if "^" in word else f"{value} {word}"
    return f"{count:,}"
