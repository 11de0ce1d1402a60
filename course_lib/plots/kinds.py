"""Loss for each kind of word beside the least possible, and how much of it a story has left."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from course_lib.plots import style

WIDEST = 6.0  # nats; a fresh model starts at about ln 169 = 5.1


def draw(fig: Figure, losses: Mapping[str, tuple[float, float]]) -> None:
    """One bar a kind for the model, and a black line where its floor is."""
    axes = fig.subplots()
    names = list(losses)
    widest = max(WIDEST, *(1.1 * loss for loss, _ in losses.values()))
    axes.set(xlabel="nats a word (shorter is better)", xlim=(0, widest),
             yticks=range(len(names)), yticklabels=names)  # fmt: skip
    axes.invert_yaxis()  # the first name stands on top
    axes.tick_params(axis="y", length=0)
    for row, (loss, floor) in enumerate(losses.values()):
        axes.barh(row, loss, height=0.6, color=style.V)
        axes.plot([floor, floor], [row - 0.4, row + 0.4], color="black", linewidth=3)
        style.label_line(axes, max(loss, floor), row, f"{loss:.2f}, at best {floor:.2f}", "black")


def say(losses: Mapping[str, tuple[float, float]]) -> str:
    """Each kind with its loss and its floor."""
    parts = [f"{kind} {loss:.2f} (at best {floor:.2f})" for kind, (loss, floor) in losses.items()]
    return f"Nats a word: {', '.join(parts)}."


def say_left(left: Mapping[str, Mapping[str, float]]) -> str:
    """The kinds of each model, the largest first, as shares of its distance."""
    return " ".join(f"{name}: {_shares(kinds)}." for name, kinds in left.items())


def _shares(kinds: Mapping[str, float]) -> str:
    """Kinds with their shares of the whole, the largest first."""
    whole = sum(kinds.values())
    order = sorted(kinds, key=lambda kind: -kinds[kind])
    return ", ".join(f"{kind} {kinds[kind] / whole:.0%}" for kind in order)
