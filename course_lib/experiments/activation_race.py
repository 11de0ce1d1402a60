"""Which activation learns better?  Two small tasks, many starts, differences start by start."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.activations import gelu, silu
from course_lib.mechanisms.feed_forward import FeedForward, GatedFeedForward
from course_lib.mechanisms.norms import LayerNorm

N_SYMBOLS, WIDTH = 24, 24  # the stream is no wider than the alphabet; 8/3 of it is whole
TASKS = ("look-up", "addition")


def without_its_line(
    function: Callable[[Tensor], Tensor],
) -> Callable[[Tensor], Tensor]:
    """Return the function less x / 2: bent as before, and for GELU and ReLU even in x."""
    return lambda x: function(x) - x / 2


LAYERS: dict[str, Callable[[], nn.Module]] = {
    "ReLU": lambda: FeedForward(WIDTH, 4 * WIDTH, torch.relu),
    "GELU": lambda: FeedForward(WIDTH, 4 * WIDTH, gelu),
    "ReLU less x/2": lambda: FeedForward(WIDTH, 4 * WIDTH, without_its_line(torch.relu)),
    "GELU less x/2": lambda: FeedForward(WIDTH, 4 * WIDTH, without_its_line(gelu)),
    "SwiGLU": lambda: GatedFeedForward(WIDTH, 8 * WIDTH // 3, silu),
    "product alone": lambda: GatedFeedForward(WIDTH, 8 * WIDTH // 3, lambda x: x),
    "no bend": lambda: FeedForward(WIDTH, 4 * WIDTH, lambda x: x),
}
# Student's t for a 95% interval, by the number of starts less one.
T_95 = {3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 9: 2.262, 11: 2.201, 15: 2.131}


@dataclass(frozen=True)
class Interval:
    """A mean over starts, and where the mean of all starts may lie: 95% by Student's t."""

    mean: float
    low: float
    high: float


def task_table(task: str, seed: int) -> Int[Tensor, "symbol symbol"]:
    """Draw what each pair of symbols stands for.

    "look-up" gives every pair a symbol of its own, drawn blindly; "addition" gives the sum of
    the pair's numbers, going round at ``N_SYMBOLS``, under a random naming of the symbols.
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {TASKS}, got {task!r}")
    generator = torch.Generator().manual_seed(seed)
    if task == "look-up":
        return torch.randint(N_SYMBOLS, (N_SYMBOLS, N_SYMBOLS), generator=generator)
    names = torch.randperm(N_SYMBOLS, generator=generator)
    number = names.argsort()
    return names[(number[:, None] + number[None]) % N_SYMBOLS]


class PairModel(nn.Module):
    """Two embeddings added up, one Pre-LN feed-forward sublayer, and scores for the answer."""

    def __init__(self, layer: str):
        super().__init__()
        if layer not in LAYERS:
            raise ValueError(f"layer must be one of {tuple(LAYERS)}, got {layer!r}")
        self.first, self.second = (nn.Embedding(N_SYMBOLS, WIDTH) for _ in range(2))
        self.norm, self.final_norm = LayerNorm(WIDTH), LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, N_SYMBOLS, bias=False)
        self.ffn = LAYERS[layer]()  # last, so that the draws before it are the same for all

    def forward(self, pairs: Int[Tensor, "pair 2"]) -> Float[Tensor, "pair symbol"]:
        """Return a score for each symbol."""
        x = self.first(pairs[:, 0]) + self.second(pairs[:, 1])
        return self.head(self.final_norm(x + self.ffn(self.norm(x))))


def race(
    layer: str, task: str, seed: int, lr: float = 0.01, n_steps: int = 60, spread: float = 1.0
) -> Float[Tensor, " step"]:
    """Train on all pairs of a task in every step, and return the losses.

    The same seed gives every layer the same task and the same embeddings to start from.

    Args:
        spread: the weights that lead to the bend (and the gate's) start this many times as large
            as torch draws them; their biases start as they are.

    Returns:
        the loss before each update, and after the last one.

    Units:
        nats an answer; blind guessing costs ln 24 = 3.18.
    """
    require_whole(0, seed=seed)
    require_whole(1, n_steps=n_steps)
    require_number(lr=lr, spread=spread)
    answers = task_table(task, seed).flatten()
    pairs = torch.cartesian_prod(torch.arange(N_SYMBOLS), torch.arange(N_SYMBOLS))
    torch.manual_seed(seed)
    model = PairModel(layer)
    with torch.no_grad():
        for name in {"widen", "gate"} & {name for name, _ in model.ffn.named_children()}:
            getattr(model.ffn, name).weight.mul_(spread)
    optimiser = torch.optim.Adam(model.parameters(), lr=lr, fused=True)
    losses = []
    for step in range(n_steps + 1):
        loss = nn.functional.cross_entropy(model(pairs), answers)
        losses.append(loss.item())
        if step < n_steps:
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return torch.tensor(losses)


def loss_ratio(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Compare losses start by start: ours as a share of theirs, the geometric mean and its 95%."""
    ours, theirs = (torch.tensor(list(x), dtype=torch.float64) for x in (ours, theirs))
    logs = interval((ours / theirs).log().tolist())
    return Interval(*(math.exp(x) for x in (logs.mean, logs.low, logs.high)))


def interval(differences: Sequence[float]) -> Interval:
    """Return the mean of independent differences, and its 95% interval by Student's t.

    Raises:
        ValueError: for a number of differences whose t is not in ``T_95``.
    """
    values = torch.tensor(list(differences), dtype=torch.float64)
    if len(values) - 1 not in T_95:
        raise ValueError(
            f"differences must be {[n + 1 for n in T_95]} in number, got {len(values)}"
        )
    half = T_95[len(values) - 1] * (values.std() / len(values) ** 0.5).item()
    mean = values.mean().item()
    return Interval(mean, mean - half, mean + half)
