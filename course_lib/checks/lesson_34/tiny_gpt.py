"""A GPT's matrices under the names of the published code, for an initialisation to work on."""

from torch import nn

WIDTH = 64


class TinyGPT(nn.Module):
    """Weights alone; what is looked up in the table is projected before it enters the stream."""

    def __init__(self, n_layers: int):
        super().__init__()
        self.wte = nn.Embedding(100, WIDTH)
        self.proj_in = nn.Linear(WIDTH, WIDTH, bias=False)
        self.h = nn.ModuleList(_block() for _ in range(n_layers))

    def __repr__(self) -> str:
        return f"TinyGPT({len(self.h)})"


def _block() -> nn.ModuleDict:
    """Attention and feed-forward; the last matrix of each writes to the stream."""
    attention = {
        "c_attn": nn.Linear(WIDTH, 3 * WIDTH, bias=False),
        "c_proj": nn.Linear(WIDTH, WIDTH, bias=False),
    }
    feed_forward = {
        "c_fc": nn.Linear(WIDTH, 4 * WIDTH, bias=False),
        "c_proj": nn.Linear(4 * WIDTH, WIDTH, bias=False),
    }
    return nn.ModuleDict({"attn": nn.ModuleDict(attention), "mlp": nn.ModuleDict(feed_forward)})
