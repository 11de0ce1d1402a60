"""What an initialisation does when some of its bugs are still there, alone or together."""

import math
from collections.abc import Callable
from itertools import product

import torch
from torch import nn

from course_lib.checks.mistakes import Mistake

WRITERS, PROJ, WIDE = "c_proj", "proj", "c_fc"  # what a loop over names may look for

_BASE = {
    "std": "",
    "variance": "`normal_` takes a standard deviation as its third argument, and it gets "
    "`std**2`, the variance: all matrices come out far too small.",
}
_ROOT = {
    "2L": "",
    "L": "The writers are divided by the root of L. How often does a block add to the stream?",
}
_HITS = {
    WRITERS: "",
    PROJ: "`proj_in` is made smaller as well: its name holds `proj`, but it does not write to the "
    "stream once a block.",
    WIDE: "You make `c_fc` smaller, which widens. The writers are the last matrix of attention "
    "and the last of the feed-forward layer, both called `c_proj`.",
}


def _drawn(hits: Callable[[str], bool], small: Callable[[float, int], float], base=lambda s: s):
    """An initialisation: ``base`` for all, then ``small`` for the names that ``hits`` picks."""

    def wrong(model, std, n_layers):
        for name, weight in model.named_parameters():
            nn.init.normal_(weight, 0.0, small(std, n_layers) if hits(name) else base(std))
        return torch.tensor([weight.std().item() for weight in model.parameters()])

    return wrong


def _square(std):
    return std**2


def _right(std, n):
    return std / math.sqrt(2 * n)


def _combined():
    """Every mixture of wrong spread, wrong root and wrong names, each with all it has to hear."""
    for base, root, names in product(_BASE, _ROOT, _HITS):
        said = [_BASE[base], _HITS[names], _ROOT[root]]
        if any(said):
            times = 2 if root == "2L" else 1
            wrong = _drawn(
                lambda name, part=names: part in name,
                lambda std, n, times=times: std / math.sqrt(times * n),
                _square if base == "variance" else lambda std: std,
            )
            yield Mistake(f"{base}, {root}, {names}", wrong, " ".join(filter(None, said)))


def _writer(name):
    return WRITERS in name


def _table_forgotten(model, std, n_layers):
    """Right, but for the embedding table, which keeps what it was born with."""
    for name, weight in model.named_parameters():
        if not name.startswith("wte"):
            nn.init.normal_(weight, 0.0, _right(std, n_layers) if _writer(name) else std)
    return torch.tensor([weight.std().item() for weight in model.parameters()])


def _by_number_of_block(model, std, n_layers):
    """Each block's writers by how many blocks there are up to it."""
    for name, weight in model.named_parameters():
        depth = int(name.split(".")[1]) + 1 if _writer(name) else None
        nn.init.normal_(weight, 0.0, _right(std, depth) if depth else std)
    return torch.tensor([weight.std().item() for weight in model.parameters()])


_OVERWRITTEN = (
    "All matrices have the same spread, the writers too. Either `model.apply(draw)` runs last and "
    "draws over what the loop has drawn, or the loop changes nothing: every name ends in "
    "`.weight`, and only a change in place reaches the model."
)

MISTAKES = (
    Mistake(
        "overwritten, variance",
        _drawn(lambda name: False, _right, _square),
        f"{_OVERWRITTEN} {_BASE['variance']}",
    ),
    Mistake("overwritten", _drawn(lambda name: False, _right), _OVERWRITTEN),
    *_combined(),
    Mistake(
        "2L without the root",
        _drawn(_writer, lambda std, n: std / (2 * n)),
        "You divide the writers' standard deviation by 2L. It is the variance that shrinks by 2L.",
    ),
    Mistake(
        "the 2 alone under the root",
        _drawn(_writer, lambda std, n: std / (math.sqrt(2) * n)),
        "Only the 2 stands under your root. It is the root of the product, "
        "`math.sqrt(2 * n_layers)`.",
    ),
    Mistake(
        "the 2 alone under the root, L above",
        _drawn(_writer, lambda std, n: std / math.sqrt(2) * n),
        "`std / math.sqrt(2) * n_layers` multiplies by L. Both the 2 and L belong under the root.",
    ),
    Mistake(
        "variances everywhere",
        _drawn(_writer, lambda std, n: std**2 / (2 * n), _square),
        "All matrices, the writers too, are drawn with their variance in place of their standard "
        "deviation. Which of the two does `normal_` take?",
    ),
    Mistake(
        "table forgotten",
        _table_forgotten,
        "The embedding table, `wte`, is never drawn: it has the spread 1 that torch gives it.",
    ),
    Mistake(
        "by the number of the block",
        _by_number_of_block,
        "Your writers get smaller from block to block. L is the number of all blocks, the same for "
        "every writer.",
    ),
    Mistake(
        "writers' variance passed",
        _drawn(_writer, lambda std, n: std**2 / (2 * n)),
        "The writers are drawn with their variance, the square of what they should have. "
        "`normal_` takes a standard deviation.",
    ),
    Mistake(
        "read as a variance",
        _drawn(_writer, lambda std, n: math.sqrt(std / math.sqrt(2 * n))),
        "You took the root of the formula, as if it were a variance: the writers are wider than "
        "everything else.",
    ),
    Mistake(
        "multiplied",
        _drawn(_writer, lambda std, n: std * math.sqrt(2 * n)),
        "Your writers grow with the depth. More writes have to be smaller ones.",
    ),
    Mistake(
        "attention's writer alone",
        _drawn(lambda name: "attn.c_proj" in name, _right),
        "The feed-forward layer writes to the stream as well, and its writer is not smaller.",
    ),
    Mistake(
        "the feed-forward layer's writer alone",
        _drawn(lambda name: "mlp.c_proj" in name, _right),
        "Attention writes to the stream as well, and its writer is not smaller.",
    ),
    Mistake(
        "all of a block smaller",
        _drawn(lambda name: name.startswith("h."), _right),
        "All matrices of a block are smaller now. Only those that write to the stream should be.",
    ),
    Mistake(
        "everything smaller",
        _drawn(lambda name: True, _right),
        "Every matrix is smaller now. Only those that write to the stream should be.",
    ),
    Mistake(
        "everything smaller, by the root of L",
        _drawn(lambda name: True, lambda std, n: std / math.sqrt(n)),
        "Every matrix is smaller now, and by the root of L. Only the writers should be, and a "
        "block writes twice.",
    ),
)
