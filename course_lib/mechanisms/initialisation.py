"""Initialisation: the random weights that training starts from."""

import math

from torch import nn

from course_lib.config import require_number
from course_lib.mechanisms.blocks import PreNormBlock


def initialise_gpt(model: nn.Module, std: float) -> None:
    """Draw every matrix from N(0, std^2), and the two that write to the stream smaller still.

    A model of L blocks adds 2L times to the residual stream.  Dividing the standard deviation
    of the writing matrices by sqrt(2L) keeps the stream's variance from growing with L.
    Biases start at 0, layer norms at the identity.

    Units:
        ``std`` is a standard deviation, not a variance (lesson 34 runs the mistake).

    Source:
        Radford et al. 2019, section 2.3 ("scale the weights of residual layers at
        initialization by a factor of 1/sqrt(N)").  The code released with that paper leaves
        this out; the common reimplementations do it.
    """
    _require_spread(std, least=0.0)
    blocks = [module for module in model.modules() if isinstance(module, PreNormBlock)]
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    for block in blocks:
        for writer in (block.attn.out_proj, block.ffn.narrow):
            nn.init.normal_(writer.weight, std=std / math.sqrt(2 * len(blocks)))


def initialise_bert(model: nn.Module, std: float) -> None:
    """Draw every matrix from N(0, std^2), cut off at two standard deviations.

    The cut leaves a spread of about 0.88 std.  No matrix is made smaller for depth: the layer
    norm after each sum keeps the stream's variance at 1.  Biases start at 0, layer norms at the
    identity.

    Source:
        The code released with Devlin et al. 2019 (``truncated_normal_initializer``).
    """
    _require_spread(std, least=1e-30)  # no normal distribution is cut off at 0
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.trunc_normal_(module.weight, std=std, a=-2 * std, b=2 * std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


def _require_spread(std: object, least: float) -> None:
    """Raise unless ``std`` is a finite number, at least ``least``."""
    require_number(std=std)
    if std < least:
        raise ValueError(f"std must be {'>' if least else '>='} 0, got {std}")
