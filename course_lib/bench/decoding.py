"""``python -m course_lib bench decoding``: our generate against that of transformers."""

import statistics
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.bench.rivals import published_gpt2
from course_lib.bench.rounds import Comparison, compare
from course_lib.config import GPT2_SIZES, GPTConfig
from course_lib.models.checkpoints import load_gpt2
from course_lib.models.gpt import GPT

N_PROMPT = 16


@dataclass(frozen=True)
class Task:
    """A shape, and how many tokens one turn of either side writes."""

    name: str
    config: GPTConfig
    n_new: int


TASKS = (
    Task("4 layers, width 128", GPTConfig(256, 256, d_model=128, n_layers=4, n_heads=4), 200),
    Task("GPT-2's smallest", GPT2_SIZES["gpt2"], 40),
)


def run(n_rounds: int) -> int:
    """Measure and print; 0 when ours is as fast in each task, 1 when not.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    print(
        f"greedy decoding with a cache of keys and values, one text, {N_PROMPT} tokens of prompt, "
        f"fp32, {torch.get_num_threads()} threads, torch {torch.__version__}"
    )
    ratios = []
    for task, result in _compared(n_rounds):
        ratios.append(result.median_ratio)
        print(f"{task:<20} {report(result)}", flush=True)
    return 0 if min(ratios) >= 1 else 1


def comparisons(n_rounds: int, n_steps: int) -> Iterator[tuple[str, Comparison]]:
    """Yield each task and the speeds of both; a turn is one text written."""
    for task, result in _compared(n_rounds):
        yield f"writing with a cache, {task}", result


def _compared(n_rounds: int) -> Iterator[tuple[str, Comparison]]:
    """Time both at each task."""
    for task in TASKS:
        ours, theirs = both(task)
        yield task.name, compare(
            ours, theirs, tokens=task.n_new, n_rounds=n_rounds, n_steps=1, n_warm_up=1
        )


def report(result: Comparison) -> str:
    """Say in one line how fast both were, and how sure that is."""
    ours, theirs = statistics.median(result.ours), statistics.median(result.theirs)
    return f"ours {ours:6.0f}, theirs {theirs:6.0f} tokens/s; ours / theirs: {result.spread}"


def both(task: Task) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make two functions that write the same text with the same weights.

    Raises:
        ValueError: if their texts differ; then there would be nothing to compare.
    """
    torch.manual_seed(0)
    theirs = published_gpt2(task.config).eval()
    ours = GPT(task.config)
    load_gpt2(ours, theirs.state_dict())
    prompt = torch.randint(task.config.vocab_size, (1, N_PROMPT))

    def write_ours() -> Tensor:
        return ours.generate(prompt, task.n_new, temperature=0)

    def write_theirs() -> Tensor:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return theirs.generate(
                prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=task.n_new,
                do_sample=False, use_cache=True, eos_token_id=None, pad_token_id=0,
            )  # fmt: skip

    if not torch.equal(write_ours(), write_theirs()):
        raise ValueError(f"both must write the same text, and did not ({task.name})")
    return write_ours, write_theirs
