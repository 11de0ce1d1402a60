"""Four jobs, two families: passes that wait for each other, and tokens that are read."""

from matplotlib.ticker import NullLocator

from course_lib.plots import style

LOOKS = {"BERT": (style.Q, -0.19), "GPT": (style.K, 0.19)}
PANELS = (("passes", "passes that wait for each other", 30), ("tokens", "tokens read", 40_000))


def draw(fig, data) -> None:
    """Draw ``jobs()``: a bar for each family and job, both axes logarithmic."""
    names = list(data)
    for axes, (field, label, most) in zip(fig.subplots(1, 2, sharey=True), PANELS, strict=True):
        axes.set(xscale="log", xlim=(0.7, most), xlabel=f"{label} (logarithmic)")
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        for family, (colour, shift) in LOOKS.items():
            for line, name in enumerate(names):
                value = getattr(data[name][family], field)
                axes.barh(line + shift, value - 0.7, left=0.7, height=0.34, color=colour)
                style.label_line(axes, value, line + shift, f"{value:,} {family}", colour)
    fig.axes[0].invert_yaxis()  # both share it


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
