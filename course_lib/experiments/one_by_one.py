"""An encoder that is read word by word from a cache: what becomes of its vectors (lesson 52)."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import BertConfig, require_whole
from course_lib.mechanisms.blocks import PostNormBlock
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.bert import Bert

# The weights are larger than BERT's at its start, so that a narrow stack hears its attention.
SHAPE = BertConfig(50, 32, d_model=64, n_layers=4, n_heads=4, init_std=0.125)


@dataclass(frozen=True)
class OneByOne:
    """How far the vectors of words read one by one are from those of words read together.

    Args:
        two_sided: largest difference of an entry, for each word, where all words are read at
            once and each sees all of them.
        causal: the same where each sees itself and those before it, with the same weights.
    """

    two_sided: Float[Tensor, " seq"]
    causal: Float[Tensor, " seq"]


@torch.no_grad()
def one_by_one(n_words: int = 12, n_layers: int = 4, seed: int = 0) -> OneByOne:
    """Read random words with a fresh encoder, at once and one by one, in float64."""
    require_whole(1, n_words=n_words)
    require_whole(0, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bert = Bert(replace(SHAPE, n_layers=n_layers)).double().eval()
        x = bert.embedding(torch.randint(SHAPE.vocab_size, (1, n_words)))
    kept = read_one_by_one(bert.blocks, x)
    differences = []
    for visible in (None, causal_mask(n_words)):
        whole = x
        for block in bert.blocks:
            whole = block(whole, visible)
        differences.append((kept - whole).abs().amax(dim=(0, 2)))
    return OneByOne(*differences)


def read_one_by_one(
    blocks: list[PostNormBlock] | torch.nn.ModuleList, x: Float[Tensor, "batch seq d_model"]
) -> Float[Tensor, "batch seq d_model"]:
    """Push words through the blocks one at a time; each reads what is kept of those before it.

    What each block has read is kept; its keys and values follow from that and never change.
    """
    kept = [x[:, :0] for _ in blocks]
    out = []
    for new in x.split(1, dim=1):
        for layer, block in enumerate(blocks):
            kept[layer] = torch.cat([kept[layer], new], dim=1)
            new = block.norm_1(new + block.attn(new, source=kept[layer]))
            new = block.norm_2(new + block.ffn(new))
        out.append(new)
    return torch.cat(out, dim=1)
