"""A learner's forecast beside what a freshly drawn block does."""

from collections.abc import Callable

from course_lib.experiments.initial_stream import NOT_SCALED, initial_stream
from course_lib.experiments.starts import PUBLISHED_STD, PUBLISHED_WIDTH


def beside_a_block(attention_write: Callable, seed: int = 0) -> dict[str, float | str]:
    """Draw a block of the published width and measure what its attention writes.

    Returns:
        what was measured, and what ``attention_write`` foretells, or why it says nothing.
    """
    seq_len = 32
    shape = {"d_model": PUBLISHED_WIDTH, "seq_len": seq_len}
    block = initial_stream(1, reading=NOT_SCALED, **shape, seed=seed)
    try:
        foretold = float(attention_write(PUBLISHED_WIDTH, PUBLISHED_STD, PUBLISHED_STD, seq_len))
    except Exception as error:  # an unfinished exercise must not stop the lesson
        foretold = f"nothing yet ({type(error).__name__})"
    return {"a fresh block writes": block.attention[0].item(), "you foretell": foretold}
