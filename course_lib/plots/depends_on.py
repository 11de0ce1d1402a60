"""What the vector at one word depends on, in two trained models: bars over the words."""

import numpy as np

from course_lib.plots import style

PER_HUNDRED = 100
HIGHEST = 60  # percent; higher bars are cut off there


def draw(fig, data):
    """Draw a ``Depends``: BERT above, GPT below, and the word asked about between the lines."""
    panels = fig.subplots(2, 1, sharex=True)
    n = len(data.words)
    bars, marks = [], []
    for axes, name, colour in zip(panels, ("BERT", "GPT"), (style.Q, style.K), strict=True):
        axes.set(xlim=(-0.7, n - 0.3), ylim=(0, HIGHEST), yticks=[0, 30, 60])
        axes.set_ylabel(f"{name}\nshare of the\nreactions (%)")
        bars.append(axes.bar(range(n), np.zeros(n), color=colour, width=0.7))
        marks.append(axes.axvspan(-0.5, 0.5, color=style.FAINT, zorder=0))
    panels[1].set_xticks(range(n), data.words, rotation=90)
    panels[1].tick_params(axis="x", length=0)

    def update(data):
        for patches, mark, shares in zip(bars, marks, (data.bert, data.gpt), strict=True):
            for patch, share in zip(patches, np.asarray(shares), strict=True):
                patch.set_height(PER_HUNDRED * share)
            mark.set_x(data.place - 0.5)
        return [*marks, *(patch for patches in bars for patch in patches)]

    update(data)
    return update


def say(data) -> str:
    """Say how much comes from before, from the word itself, and from behind."""
    told = []
    for name, shares in (("BERT", np.asarray(data.bert)), ("GPT", np.asarray(data.gpt))):
        at = data.place
        before, behind = shares[:at].sum(), shares[at + 1 :].sum()
        told.append(
            f"in {name} {before:.0%} before it, {shares[at]:.0%} itself, {behind:.0%} behind it"
        )
    return (
        f"What the vector at word {data.place + 1}, {data.words[data.place]!r}, reacts to: "
        f"{'; '.join(told)}."
    )
