"""A masked story: what a model reads at each place, and which words it is graded on."""

from matplotlib.patches import Patch, Rectangle

from course_lib.plots import style

PER_ROW = 11  # words
FACES = {"hidden": (style.K, 0.3), "swapped": (style.ACCENT, 0.4), "kept": (style.V, 0.25)}
NOT_SCORED = ("#FFFFFF", 1.0)
MEANING = {
    "hidden": "[MASK] in its place", "swapped": "a random word in its place",
    "kept": "as it was, but scored",
}  # fmt: skip


def draw(fig, data):
    """Draw a ``MaskedStory``: what is read in each cell, and under an arrow what was there."""
    axes = fig.subplots()
    n_rows = -(-len(data.words) // PER_ROW)
    axes.set(xlim=(0, PER_ROW), ylim=(n_rows, -0.02), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    cells, texts = [], []
    for i in range(len(data.words)):
        row, column = divmod(i, PER_ROW)
        box = Rectangle((column + 0.02, row + 0.05), 0.96, 0.9, edgecolor=style.FAINT)
        cells.append(axes.add_patch(box))
        for dy in (0.33, 0.7):
            place = {"ha": "center", "va": "center", "fontsize": 10}
            texts.append(axes.text(column + 0.5, row + dy, "", **place))
    patches = [
        Patch(facecolor=FACES[fate], edgecolor=style.FAINT, label=MEANING[fate]) for fate in FACES
    ]
    patches.append(Patch(visible=False, label="→ the word asked for"))
    fig.legend(handles=patches, loc="outside upper left", ncols=4)

    def update(data):
        seen_and_asked = zip(data.seen, data.words, data.fates, strict=True)
        for i, (seen, word, fate) in enumerate(seen_and_asked):
            cells[i].set_facecolor(FACES.get(fate, NOT_SCORED))
            texts[2 * i].set_text(seen)
            texts[2 * i + 1].set_text(f"→ {word}" if fate in FACES else "")
        return [*cells, *texts]

    update(data)
    return update


def say(data) -> str:
    """Count what became of the words."""
    count = {fate: data.fates.count(fate) for fate in FACES}
    n, scored = len(data.words), sum(count.values())
    return (
        f"Of {n} words {scored} are scored: {count['hidden']} hidden, {count['swapped']} swapped "
        f"for a random word, {count['kept']} kept. A GPT is scored on {n - 1} of them, "
        "all but the first."
    )
