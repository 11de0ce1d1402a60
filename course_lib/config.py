"""Sizes and rates, in one place: what a model is made of, and how it is trained.

All classes are frozen: a configuration that a model was built from cannot change under it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType


def require_whole(minimum: int, **values: object) -> None:
    """Raise an error that names the first value that is not a whole number >= `minimum`."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must be a whole number, got {value!r}")
        if value < minimum:
            raise ValueError(f"{name} must be a whole number >= {minimum}, got {value!r}")


def require_number(**values: object) -> None:
    """Raise an error that names the first value that is not a finite number."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number, got {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, got {value!r}")


def require_fraction(**values: object) -> None:
    """Raise an error that names the first value outside [0, 1)."""
    require_number(**values)
    for name, value in values.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name} must lie in [0, 1), got {value!r}")


def _require_not_negative(**values: object) -> None:
    """Raise an error that names the first value that is not a finite number >= 0."""
    require_number(**values)
    for name, value in values.items():
        if value < 0:
            raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")


def _require_positive(**values: object) -> None:
    """Raise an error that names the first value that is not a finite number > 0."""
    require_number(**values)
    for name, value in values.items():
        if value <= 0:
            raise ValueError(f"{name} must be a finite number > 0, got {value!r}")


def require_switch(**values: object) -> None:
    """Raise a TypeError that names the first value that is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")


def require_one_of(choices: tuple[str, ...], **values: object) -> None:
    """Raise a ValueError that names the first value that is none of the choices."""
    for name, value in values.items():
        if value not in choices:
            raise ValueError(f"{name} must be one of {choices}, got {value!r}")


def require_shared_heads(n_heads: int, n_kv_heads: object) -> None:
    """Raise unless the heads of queries can be dealt out evenly to those of keys and values."""
    require_whole(1, n_kv_heads=n_kv_heads)
    if n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads must divide n_heads={n_heads}, got {n_kv_heads}")


def require_config(kind: type, config: object) -> None:
    """Raise a TypeError unless ``config`` is of this kind: GPT's and BERT's are not the same."""
    if not isinstance(config, kind):
        raise TypeError(f"config must be a {kind.__name__}, got {type(config).__name__}")


@dataclass(frozen=True)
class TransformerConfig:
    """What GPT and BERT have in common, in the names of the glossary (lesson 01).

    Args:
        vocab_size: how many different token ids exist.
        max_seq_len: the longest input; a table of positions has this many rows.
        d_model: width of the residual stream.
        n_layers: number of blocks.
        n_heads: attention heads a block.
        d_head: width of one head; left out, d_model / n_heads, which must then be whole.
        d_ff: inner width of the feed-forward layer; left out, 4 * d_model.
        dropout: share of activations set to zero while training; 0 switches it off.
        norm_eps: added to the variance inside the root of layer norm.
        init_std: standard deviation of the weights at the start.
    """

    vocab_size: int
    max_seq_len: int
    d_model: int
    n_layers: int
    n_heads: int
    d_head: int | None = None
    d_ff: int | None = None
    dropout: float = 0.0
    norm_eps: float = 1e-5
    init_std: float = 0.02

    def __post_init__(self):
        require_whole(
            1,
            vocab_size=self.vocab_size,
            max_seq_len=self.max_seq_len,
            d_model=self.d_model,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
        )
        object.__setattr__(self, "d_head", self._head_width())
        object.__setattr__(self, "d_ff", 4 * self.d_model if self.d_ff is None else self.d_ff)
        require_whole(1, d_head=self.d_head, d_ff=self.d_ff)
        require_fraction(dropout=self.dropout)
        _require_not_negative(norm_eps=self.norm_eps, init_std=self.init_std)

    def _head_width(self) -> int:
        """The width that was asked for, or an equal share of d_model."""
        if self.d_head is not None:
            return self.d_head
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be divisible by n_heads when d_head is left out, "
                f"got d_model={self.d_model}, n_heads={self.n_heads}"
            )
        return self.d_model // self.n_heads


POSITIONS = ("learned", "sinusoidal", "rotary", "none")
NORMS = ("layer", "rms")
ACTIVATIONS = ("gelu", "relu squared")


@dataclass(frozen=True)
class GPTConfig(TransformerConfig):
    """The shape of a decoder-only transformer: the fields of TransformerConfig and some more.

    What is left out is as in GPT-2.  The last four are what later models changed (lesson 61).

    Args:
        n_kv_heads: heads of keys and values; left out, one for each head of queries.  With
            fewer, several heads of queries share one (lesson 52).
        tie_embeddings: True when the output layer reuses the token table.
        positions: how order gets in, one of POSITIONS; GPT-2 has learned ones (lesson 24).
        norm: "layer", or "rms" for root mean square norms with a gain alone (lesson 31).
        activation: "gelu" in its tanh form (lesson 32), or "relu squared".
        biases: False leaves the shift out of every projection.
        qk_norm: True gives each head's queries and keys a fixed size before they are compared.

    Source:
        Radford et al. 2019, section 2.3 and table 2.
    """

    n_kv_heads: int | None = None
    tie_embeddings: bool = True
    positions: str = "learned"
    norm: str = "layer"
    activation: str = "gelu"
    biases: bool = True
    qk_norm: bool = False

    def __post_init__(self):
        super().__post_init__()
        n_kv_heads = self.n_heads if self.n_kv_heads is None else self.n_kv_heads
        require_shared_heads(self.n_heads, n_kv_heads)
        object.__setattr__(self, "n_kv_heads", n_kv_heads)
        require_switch(
            tie_embeddings=self.tie_embeddings, biases=self.biases, qk_norm=self.qk_norm
        )
        require_one_of(POSITIONS, positions=self.positions)
        require_one_of(NORMS, norm=self.norm)
        require_one_of(ACTIVATIONS, activation=self.activation)
        if self.positions == "rotary" and self.d_head % 2:
            raise ValueError(f"d_head must be even for rotary positions, got {self.d_head}")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model must be even for sinusoidal positions, got {self.d_model}")


BERT_POSITIONS = ("learned", "rotary")


@dataclass(frozen=True)
class BertConfig(TransformerConfig):
    """The shape of an encoder-only transformer: the fields of TransformerConfig and three more.

    Args:
        n_segments: how many kinds of sentence an input may hold; BERT's pairs have two.
        positions: "learned" as in BERT; "rotary" turns queries and keys instead (lesson 24),
            and a small model learns sooner who stands beside whom.
        qk_norm: True gives each head's queries and keys a fixed size before they are compared.

    Source:
        Devlin et al. 2019, section 3; norm_eps and init_std as in the released code.  A BERT
        with rotary positions: Su et al. 2021, section 4.2.
    """

    norm_eps: float = 1e-12
    n_segments: int = 2
    positions: str = "learned"
    qk_norm: bool = False

    def __post_init__(self):
        super().__post_init__()
        require_whole(1, n_segments=self.n_segments)
        require_switch(qk_norm=self.qk_norm)
        require_one_of(BERT_POSITIONS, positions=self.positions)
        if self.positions == "rotary" and self.d_head % 2:
            raise ValueError(f"d_head must be even for rotary positions, got {self.d_head}")
        _require_positive(init_std=self.init_std)  # no normal distribution is cut off at 0


OPTIMIZERS = ("adamw", "muon", "muon by head")
DECAYS = ("cosine", "linear")


@dataclass(frozen=True)
class TrainConfig:
    """How a model is trained: steps, batch, learning rate, and what is looked at on the way.

    Args:
        total_steps: number of updates; the learning rate reaches min_lr at the last one.
        batch_size: windows of text an update.
        lr: the peak of the learning rate.
        min_lr: the floor it falls to.
        warmup_steps: updates over which it rises from 0 to the peak.
        betas: AdamW's memory of the gradient and of its square.
        adam_eps: keeps AdamW's division finite.
        weight_decay: pull of the weight matrices towards 0, in units of the learning rate.
        max_grad_norm: gradients longer than this are shortened to it.
        seed: every random choice of the run follows from it and the step number.
        eval_every: updates between two looks at the validation loss.
        eval_batches: batches of validation text in one look.
        sample_every: updates between two samples of generated text; 0 for none.
        optimizer: "adamw"; or "muon" for the matrices of the blocks, and AdamW for the rest;
            "muon by head" steps queries, keys and values one head at a time.
        decay: the curve from lr down to min_lr, "cosine" or "linear".
    """

    total_steps: int
    batch_size: int = 12
    lr: float = 3e-3
    min_lr: float = 3e-4
    warmup_steps: int = 20
    betas: tuple[float, float] = (0.9, 0.95)
    adam_eps: float = 1e-8
    weight_decay: float = 0.1
    max_grad_norm: float = 1.0
    seed: int = 0
    eval_every: int = 25
    eval_batches: int = 8
    sample_every: int = 100
    optimizer: str = "adamw"
    decay: str = "cosine"

    def __post_init__(self):
        require_whole(
            1,
            total_steps=self.total_steps,
            batch_size=self.batch_size,
            eval_every=self.eval_every,
            eval_batches=self.eval_batches,
        )
        require_whole(
            0, warmup_steps=self.warmup_steps, seed=self.seed, sample_every=self.sample_every
        )
        _require_not_negative(lr=self.lr, min_lr=self.min_lr, weight_decay=self.weight_decay)
        # With adam_eps = 0 the update of a weight that has no gradient is 0 / 0.
        _require_positive(adam_eps=self.adam_eps, max_grad_norm=self.max_grad_norm)
        if self.min_lr > self.lr:
            raise ValueError(f"min_lr must be <= lr, got min_lr={self.min_lr}, lr={self.lr}")
        if not isinstance(self.betas, tuple) or len(self.betas) != 2:
            raise ValueError(f"betas must be a tuple of two numbers, got {self.betas!r}")
        require_fraction(**{f"betas[{i}]": beta for i, beta in enumerate(self.betas)})
        require_one_of(OPTIMIZERS, optimizer=self.optimizer)
        require_one_of(DECAYS, decay=self.decay)


def tiny_gpt(vocab_size: int = 256, max_seq_len: int = 64) -> GPTConfig:
    """The GPT that a laptop trains within a lesson: 4 blocks of width 128 over bytes."""
    return GPTConfig(vocab_size, max_seq_len, d_model=128, n_layers=4, n_heads=4)


def modern_gpt(vocab_size: int = 256, max_seq_len: int = 64, **changes: object) -> GPTConfig:
    """The same size with what later models changed: more is learnt from each token (lesson 61)."""
    shape = dict(d_model=128, n_layers=4, n_heads=4, positions="rotary", norm="rms",
                 activation="relu squared", biases=False, qk_norm=True)  # fmt: skip
    return GPTConfig(vocab_size, max_seq_len, **{**shape, **changes})


def reference_training(total_steps: int, **changes: object) -> TrainConfig:
    """Settings that are usual for :func:`tiny_gpt`: AdamW, and a rate that falls along a cosine."""
    settings = dict(lr=1e-3, min_lr=1e-4, warmup_steps=min(100, total_steps // 2),
                    betas=(0.9, 0.99), weight_decay=0.01)  # fmt: skip
    return TrainConfig(total_steps, **{**settings, **changes})


def modern_training(total_steps: int, **changes: object) -> TrainConfig:
    """Settings that go with :func:`modern_gpt`: Muon, and a rate that falls in a line to 0."""
    settings = dict(optimizer="muon by head", lr=6e-3, min_lr=0.0, betas=(0.9, 0.99),
                    warmup_steps=min(20, total_steps // 2), decay="linear")  # fmt: skip
    return TrainConfig(total_steps, **{**settings, **changes})


def _published_gpt2(d_model: int, n_layers: int, n_heads: int) -> GPTConfig:
    """One of the four sizes of Radford et al. 2019, table 2."""
    return GPTConfig(50257, 1024, d_model, n_layers, n_heads, dropout=0.1)


GPT2_SIZES: Mapping[str, GPTConfig] = MappingProxyType(
    {
        "gpt2": _published_gpt2(768, 12, 12),
        "gpt2-medium": _published_gpt2(1024, 24, 16),
        "gpt2-large": _published_gpt2(1280, 36, 20),
        "gpt2-xl": _published_gpt2(1600, 48, 25),
    }
)


def tiny_bert(vocab_size: int = 256, max_seq_len: int = 64) -> BertConfig:
    """The BERT that a laptop trains within a lesson: 4 blocks of width 128 over bytes."""
    return BertConfig(vocab_size, max_seq_len, d_model=128, n_layers=4, n_heads=4)


BERT_SIZES: Mapping[str, BertConfig] = MappingProxyType(
    {
        "bert-base": BertConfig(30522, 512, 768, n_layers=12, n_heads=12, dropout=0.1),
        "bert-large": BertConfig(30522, 512, 1024, n_layers=24, n_heads=16, dropout=0.1),
    }
)
