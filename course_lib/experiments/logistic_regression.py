"""One layer, fitted to the end: what can be told from given features without an encoder."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn


def fit_layer(
    x: Float[Tensor, "text feature"], labels: Int64[Tensor, " text"], n_classes: int, decay: float,
    max_iter: int = 200,
) -> nn.Linear:  # fmt: skip
    """Fit one layer to the end: a logistic regression.

    Args:
        decay: pull of the weights towards 0, against learning single texts by heart.
        max_iter: of L-BFGS, at the most.
    """
    with torch.random.fork_rng(devices=[]):  # nothing is random: the start is all zeros
        model = nn.Linear(x.shape[1], n_classes)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    optimizer = torch.optim.LBFGS(
        model.parameters(), max_iter=max_iter, line_search_fn="strong_wolfe"
    )

    def graded() -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss = loss + decay * model.weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(graded)
    return model.requires_grad_(False)
