"""Who can know of whom: the Jacobian of a model's output by its tokens' vectors."""

import torch


def influence(forward, table, token_ids):
    """Largest slope of each position's output by each position's vector, [batch, seq, seq].

    Args:
        forward: the model, or a function that calls it; ids in, [batch, seq, ...] out.
        table: the module that looks the tokens' vectors up.
        token_ids: the texts.
    """
    vectors = table(token_ids).detach()

    def output(vectors):
        handle = table.register_forward_hook(lambda *_: vectors)
        try:
            return forward(token_ids)
        finally:
            handle.remove()

    jacobian = torch.autograd.functional.jacobian(output, vectors)
    batch, seq = token_ids.shape
    slopes = jacobian.abs().reshape(batch, seq, -1, batch, seq, vectors.shape[-1])
    largest = slopes.amax(dim=(2, 5))  # [batch, seq, batch, seq]
    texts = torch.arange(batch)
    others = largest.clone()
    others[texts, :, texts] = 0
    assert not others.any(), "one text knows of another"
    return largest[texts, :, texts]
