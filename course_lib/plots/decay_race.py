"""Models with weight decay at two places: the loss, and how large their matrices are."""

from course_lib.plots.race import say_race
from course_lib.plots.style import K, reference_line

BLACK = "#000000"
LOOKS = ((BLACK, "-"), (K, "-"), (K, ":"), (BLACK, ":"))  # of AdamW and of L2, as they come
say_loss = say_race


def draw_for(names, n_steps: int, chance: float, largest: float):
    """Return a ``draw`` for this many steps; ``largest`` is the upper edge of the sizes."""

    def draw(fig, history):
        left, right = fig.subplots(1, 2)
        left.set(xlim=(0, n_steps), ylim=(0, 1.25 * chance), xlabel="step")
        left.set_ylabel("loss (nats per letter)")
        reference_line(left, chance, "blind guessing", at=1.0)
        right.set(xlim=(0, n_steps), ylim=(0, largest), xlabel="step")
        right.set_ylabel("size of a weight (root mean square)")
        losses, sizes = {}, {}
        for name, (colour, dash) in zip(names, LOOKS, strict=False):
            (losses[name],) = left.plot([], [], color=colour, linestyle=dash, label=name)
            (sizes[name],) = right.plot([], [], color=colour, linestyle=dash)
        fig.legend(handles=list(losses.values()), loc="outside right center", handlelength=3)

        def update(history):
            steps = [record.step for record in history]
            for name in names:
                losses[name].set_data(steps, [record.losses[name] for record in history])
                sizes[name].set_data(steps, [record.sizes[name] for record in history])
            return [*losses.values(), *sizes.values()]

        update(history)
        return update

    return draw


def say(history) -> str:
    """Say where losses and sizes stand."""
    if not history:
        return say_loss(history)
    sizes = "; ".join(f"{name} {size:.2g}" for name, size in history[-1].sizes.items())
    return f"{say_loss(history)} Size of a weight: {sizes}."
