"""GPT-2 in few words agrees with transformers', so it can stand in for it."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from course_lib.experiments.plain_gpt2 import plain_gpt2


def test_it_is_transformers_gpt2():
    theirs = GPT2LMHeadModel(GPT2Config(
        vocab_size=37, n_positions=11, n_embd=12, n_layer=3, n_head=4, n_inner=20,
        layer_norm_epsilon=1e-3, bos_token_id=0, eos_token_id=0)).double().eval()  # fmt: skip
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    ids = torch.randint(37, (2, 9))
    tensors = {n.removeprefix("transformer."): t for n, t in theirs.state_dict().items()}
    hidden, logits = plain_gpt2(tensors, ids, n_heads=4, eps=1e-3)
    found = theirs(ids, output_hidden_states=True)
    torch.testing.assert_close(logits, found.logits, rtol=0, atol=1e-9)
    torch.testing.assert_close(hidden, torch.stack(found.hidden_states), rtol=0, atol=1e-9)
