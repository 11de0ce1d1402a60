"""The two models that are compared: the same shape, the same task, the same training step."""

import warnings

from torch import Tensor, nn

from course_lib.config import GPTConfig, TrainConfig, tiny_gpt
from course_lib.models.gpt import GPT
from course_lib.training.state import TrainState


def published_gpt2(config: GPTConfig) -> nn.Module:
    """Make transformers' GPT2LMHeadModel of this shape, without dropout.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    from transformers import GPT2Config, GPT2LMHeadModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.max_seq_len,
            n_embd=config.d_model,
            n_layer=config.n_layers,
            n_head=config.n_heads,
            n_inner=config.d_ff,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=0,
            eos_token_id=0,
        )
        return GPT2LMHeadModel(theirs)


class Published(nn.Module):
    """GPT2LMHeadModel behind the face that our loop knows: ids in, logits out."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.model = published_gpt2(config)

    def forward(self, token_ids: Tensor) -> Tensor:
        """Score the next token; no cache of keys and values is kept, which favours them."""
        return self.model(input_ids=token_ids, use_cache=False).logits


def both(config: TrainConfig) -> tuple[TrainState, TrainState]:
    """Make ours and theirs, each with its own optimiser, ready to train.

    Raises:
        ModuleNotFoundError: if transformers is not installed.
    """
    shape = tiny_gpt()
    ours, theirs = GPT(shape), Published(shape)
    sizes = [sum(p.numel() for p in model.parameters()) for model in (ours, theirs)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"both models must have the same size, got {sizes}")
    return TrainState.fresh(ours, config), TrainState.fresh(theirs, config)
