"""The KV cache: keys and values of the tokens read so far, kept so that nobody computes them twice.

In a causal model a token's keys and values never change once it has been read: nothing that
comes later can reach them.  A new token then needs its own query, key and value, and the old
keys and values.  In a model that reads in both directions every new token changes them all.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import GPTConfig, require_config, require_whole


class LayerCache:
    """What one attention layer remembers.

    Room for ``capacity`` tokens is reserved at once, and a token is written where it will stay:
    no step copies what is there already.
    """

    def __init__(self, keys: Tensor, values: Tensor):
        self._keys, self._values = keys, values
        self.length = 0

    @property
    def keys(self) -> Float[Tensor, "batch kv_head length d_head"]:
        """The keys of the tokens read so far: a view, so mind what you write into it."""
        return self._keys[:, :, : self.length]

    @property
    def values(self) -> Float[Tensor, "batch kv_head length d_head"]:
        """The values of the tokens read so far."""
        return self._values[:, :, : self.length]

    @property
    def bytes_held(self) -> int:
        """Bytes of the memory behind keys and values, with what is reserved for later."""
        return sum(x.untyped_storage().nbytes() for x in (self._keys, self._values))

    def extend(
        self,
        k: Float[Tensor, "batch kv_head new d_head"],
        v: Float[Tensor, "batch kv_head new d_head"],
    ) -> tuple[
        Float[Tensor, "batch kv_head key d_head"], Float[Tensor, "batch kv_head key d_head"]
    ]:
        """Write new keys and values behind the old ones and return both together.

        The length grows only when :meth:`KVCache.accept` says so.  A pass that breaks off half
        way leaves no layer longer than another; the next one writes over what it left.

        Raises:
            ValueError: if they have another shape or type than the cache, or there is no room.
        """
        n_texts, n_heads, capacity, d_head = self._keys.shape
        n_new = k.shape[-2]
        wanted, dtype = (n_texts, n_heads, n_new, d_head), self._keys.dtype
        for name, x in (("k", k), ("v", v)):
            if tuple(x.shape) != wanted or x.dtype != dtype:
                raise ValueError(
                    f"{name} must fit the cache, {dtype} of shape {wanted}, "
                    f"got {x.dtype} of shape {tuple(x.shape)}"
                )
        require_room(self.length, n_new, capacity)
        end = self.length + n_new
        self._keys[:, :, self.length : end] = k
        self._values[:, :, self.length : end] = v
        return self._keys[:, :, :end], self._values[:, :, :end]


class KVCache:
    r"""The memory of a GPT while it writes: one :class:`LayerCache` a layer.

    Args:
        config: of the model that will use it.
        batch_size: texts that are written side by side.
        capacity: tokens that room is reserved for; left out, ``max_seq_len``.
        dtype, device: those of the model's weights.

    The keys are those of the weights that wrote them.  Nothing here notices if another model of
    the same shape reads on, if a model in training drops entries at random (put it in ``eval()``),
    or if ``real`` changes for tokens already read.

    Cost:
        2 (keys and values) * n_layers * n_kv_heads * d_head numbers for each token of each
        text.  Reading a text of T tokens one by one, attention computes T^2 / 2 scores a head
        in all; without the cache T^3 / 3, and every projection anew.

    Source:
        Shazeer 2019, section 2.4 ("incremental" attention), which also counts its memory traffic.
    """

    def __init__(
        self,
        config: GPTConfig,
        batch_size: int = 1,
        capacity: int | None = None,
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | None = None,
    ):
        require_config(GPTConfig, config)
        self.capacity = config.max_seq_len if capacity is None else capacity
        require_whole(1, batch_size=batch_size, capacity=self.capacity)
        self.config, self.batch_size = config, batch_size
        shape = (batch_size, config.n_kv_heads, self.capacity, config.d_head)
        self.layers = [
            LayerCache(*(torch.empty(shape, dtype=dtype, device=device) for _ in range(2)))
            for _ in range(config.n_layers)
        ]

    @property
    def length(self) -> int:
        """How many tokens have been read."""
        return self.layers[0].length

    @property
    def n_bytes(self) -> int:
        """Bytes that the tokens read so far take; what is reserved for later is not counted."""
        return sum(x.numel() * x.element_size() for c in self.layers for x in (c.keys, c.values))

    @property
    def n_bytes_reserved(self) -> int:
        """Bytes of memory that are held: room for all ``capacity`` tokens, read or not."""
        return sum(c.bytes_held for c in self.layers)

    def accept(self, n_new: int) -> None:
        """Count the tokens that every layer has written."""
        require_whole(1, n_new=n_new)
        require_room(self.length, n_new, self.capacity)
        for layer in self.layers:
            layer.length += n_new

    def start_of(self, config: GPTConfig, batch_size: int, n_new: int) -> int:
        """Return the position of the next token, if so many of this model's texts still fit.

        Raises:
            ValueError: if they do not; asked before a pass, so that none is begun in vain.
        """
        shapes = [(c.n_layers, c.n_kv_heads, c.d_head) for c in (self.config, config)]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"the cache must be of this model's shape, with (n_layers, n_kv_heads, d_head)="
                f"{shapes[1]}, got one with {shapes[0]}"
            )
        if batch_size != self.batch_size:
            raise ValueError(
                f"the cache holds {self.batch_size} texts, got a batch of {batch_size}"
            )
        require_room(self.length, n_new, self.capacity)
        return self.length


def require_room(length: int, n_new: int, capacity: int) -> None:
    """Raise unless so many new tokens fit behind those that are there."""
    if length + n_new > capacity:
        raise ValueError(
            f"the cache must have room for the new tokens: it holds {length} of at most "
            f"{capacity}, got {n_new} more (the limit is max_seq_len, or the capacity asked for)"
        )
