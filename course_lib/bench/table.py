"""``python -m course_lib bench``: all speeds, ours over the published ones, in one table."""

from collections.abc import Callable, Iterator
from datetime import date

from course_lib.bench import decoding, optimizer, recipe, tokenizers, training
from course_lib.bench.rounds import Comparison

Comparisons = Callable[[int, int], Iterator[tuple[str, Comparison]]]
PARTS: dict[str, Comparisons] = {
    "training": training.comparisons,
    "recipe": recipe.comparisons,
    "optimizer": optimizer.comparisons,
    "decoding": decoding.comparisons,
    "tokenizers": tokenizers.comparisons,
}
_ROW = "{:<64} {:>6}   {:<14} {:>6}"


def run(n_rounds: int, n_steps: int) -> int:
    """Measure every part and print a row for each comparison; 0, whatever comes out."""
    print(f"{date.today().isoformat()}; {training.machine()}")
    print(_ROW.format("speed, ours / theirs", "median", "range", "rounds"), flush=True)
    for part, comparisons in PARTS.items():
        try:
            for name, result in comparisons(n_rounds, n_steps):
                print(row(name, result), flush=True)
        except ModuleNotFoundError as error:
            print(f'{part}: not measured, {error.name} is not installed (extra "test")', flush=True)
    print("\nAbove 1, ours is faster.  What the recipe learns at equal cost: bench --recipe")
    return 0


def row(name: str, result: Comparison) -> str:
    """Lay a comparison out in the table's columns."""
    spread = f"{min(result.ratios):.2f} to {max(result.ratios):.2f}"
    return _ROW.format(name, f"{result.median_ratio:.2f}", spread, len(result.ratios))
