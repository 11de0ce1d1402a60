"""Four jobs, two families: passes that wait for each other, and tokens that are read."""

from matplotlib.ticker import NullLocator

from course_lib.plots import style

LOOKS = {"BERT": (style.Q, -0.19, "o"), "GPT": (style.K, 0.19, "s")}
PANELS = (("passes", "passes that wait for each other", 30), ("tokens", "tokens read", 40_000))


def draw(fig, data) -> None:
    """Draw ``jobs()``: a dot for each family and job, both axes logarithmic."""
    names = list(data)
    for axes, (field, label, most) in zip(fig.subplots(1, 2, sharey=True), PANELS, strict=True):
        axes.set(xscale="log", xlim=(0.7, most), xlabel=f"{label} (logarithmic)")
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=style.FAINT)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        for family, (colour, shift, marker) in LOOKS.items():
            for line, name in enumerate(names):
                value = getattr(data[name][family], field)
                axes.plot([value], [line + shift], marker, color=colour)
                style.label_line(axes, value, line + shift, f"{family} {value:,}", colour)
    axes.set_ylim(len(names) - 0.5, -0.5)  # the first job on top; both panels share it


def say(data) -> str:
    """Each job in words."""
    parts = []
    for name, families in data.items():
        each = [
            f"{family} {work.tokens:,} tokens in {work.passes} pass{'es'[: 2 * (work.passes > 1)]}"
            for family, work in families.items()
        ]
        parts.append(f"{name}: {', '.join(each)}")
    return f"{'; '.join(parts)}."
