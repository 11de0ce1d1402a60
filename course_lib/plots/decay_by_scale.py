"""What weight decay leaves of a weight, against the size of its gradients."""

from course_lib.plots.style import GREY, K, reference_line

LOOKS = {"Adam + L2": (K, "-", "o"), "AdamW": ("#000000", "--", "s")}
LOWEST = 0.5


def draw(fig, data):
    """Draw both rules; ``data`` has scales, left (by rule), foretold, weight_decay, n_steps."""
    axes = fig.subplots()
    axes.set(xscale="log", xlim=(data.scales[0] / 1.6, data.scales[-1] * 1.6))
    axes.set(ylim=(LOWEST, 1.03), xlabel="spread of the gradients")
    axes.set_ylabel(f"weight after {data.n_steps} steps,\nfrom 1")
    reference_line(axes, 1.0, "no decay", at=0.0, below=True)
    lines = {}
    for rule, (colour, dash, marker) in LOOKS.items():
        (lines[rule],) = axes.plot([], [], color=colour, linestyle=dash, marker=marker, label=rule)
    fig.legend(handles=list(lines.values()), loc="outside right center", handlelength=3)
    title = axes.set_title("", color=GREY)

    def update(data):
        for rule, line in lines.items():
            line.set_data(data.scales, data.left[rule])
        title.set_text(f"weight decay {data.weight_decay:g}")
        return [*lines.values(), title]

    update(data)
    return update


def say(data) -> str:
    """Say what is left at the smallest and the largest gradients."""
    ends = "; ".join(
        f"{rule} leaves {float(left[0]):.3f} at {data.scales[0]:g} and {float(left[-1]):.3f} at "
        f"{data.scales[-1]:g}"
        for rule, left in data.left.items()
    )
    return f"Weight decay {data.weight_decay:g}: {ends}."
