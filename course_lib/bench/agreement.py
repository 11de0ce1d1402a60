"""Our models and those of Hugging Face transformers, layer by layer, with the same weights."""

import importlib.util
import json
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from course_lib.bench.rivals import published_gpt2
from course_lib.config import GPT2_SIZES, GPTConfig
from course_lib.experiments.inside import look_inside
from course_lib.experiments.near_misses import differences
from course_lib.experiments.published_answers import FILE
from course_lib.models.checkpoints import load_gpt2, load_minilm, read_tensors
from course_lib.models.checkpoints.minilm import MINILM
from course_lib.models.gpt import GPT
from course_lib.packaged import find
from course_lib.tokenizers.bert_pair import encode_pair
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.wordpiece import WordPieceTokenizer
from course_lib.whole_file import replace_file

TEXT = "We sat on the bank of the river and watched the boats."
N_FIRST = 12  # numbers of each token that are written down
BOUND = 1e-5
SQUARE = "transformer.h.0.attn.c_proj.weight"  # it fits both ways round


def has_transformers() -> bool:
    """Tell whether Hugging Face transformers is installed, without loading it."""
    return importlib.util.find_spec("transformers") is not None


@torch.no_grad()
def published_minilm(token_ids: Tensor) -> Tensor:
    """Read a text with transformers' BertModel and the published MiniLM; [layers, seq, d_model].

    Raises:
        ModuleNotFoundError: if transformers or the extra ``pretrained`` is not installed.
    """
    from transformers import BertConfig, BertModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = BertModel(
            BertConfig(
                vocab_size=MINILM.vocab_size,
                max_position_embeddings=MINILM.max_seq_len,
                hidden_size=MINILM.d_model,
                num_hidden_layers=MINILM.n_layers,
                num_attention_heads=MINILM.n_heads,
                intermediate_size=MINILM.d_ff,
            )
        ).eval()
    left = theirs.load_state_dict(read_tensors(find("minilm")), strict=False)
    if left.missing_keys or set(left.unexpected_keys) - {"embeddings.position_ids"}:
        raise ValueError(f"transformers must take all of the file, got {left}")
    found = theirs(token_ids, output_hidden_states=True)
    return torch.stack(found.hidden_states)[:, 0]


def random_gpt2(config: GPTConfig, seed: int = 0) -> nn.Module:
    """Make transformers' GPT-2 of this shape, with random weights, none of them 0 or 1."""
    torch.manual_seed(seed)
    theirs = published_gpt2(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            if parameter.ndim == 1:  # biases and gains off their special start
                parameter.add_(0.02 * torch.randn_like(parameter))
    return theirs


@torch.no_grad()
def gpt2_differences(
    config: GPTConfig, n_tokens: int = 12, seed: int = 0, not_turned: str | None = None
) -> dict[str, object]:
    """Copy a random GPT-2 into ours and compare what both make of random tokens.

    Args:
        config: the shape of both.
        n_tokens: the length of the text.
        seed: of the weights and the tokens.
        not_turned: published name of a square matrix that is taken the wrong way round.

    Returns:
        The largest difference of a number, "hidden" for each layer and "logits"; and "largest",
        the largest number that is compared.
    """
    theirs, ours = random_gpt2(config, seed), GPT(config).eval()
    tensors = dict(theirs.state_dict())
    if not_turned is not None:
        tensors[not_turned] = tensors[not_turned].T
    load_gpt2(ours, tensors)
    ids = torch.randint(config.vocab_size, (1, n_tokens))
    found = theirs(ids, output_hidden_states=True, use_cache=False)
    hidden = torch.stack(found.hidden_states)[:, 0]
    return {
        "hidden": differences(look_inside(ours, ids).hidden, hidden).tolist(),
        "logits": (ours(ids) - found.logits).abs().max().item(),
        "largest": max(part.abs().max().item() for part in (hidden, found.logits)),
    }


def read_sentence(text: str = TEXT) -> Tensor:
    """Turn a sentence into the ids that MiniLM reads; [1, seq]."""
    tokenizer = WordPieceTokenizer(published_vocabulary())
    return torch.tensor([encode_pair(tokenizer, text).token_ids])


def write(path: Path = FILE) -> None:
    """Write down what transformers answers; takes up to 2 GB for two GPT-2 of the smallest size."""
    import transformers

    ids = read_sentence()
    numbers = published_minilm(ids)[..., :N_FIRST]
    rows = [[[float(f"{x:.8g}") for x in token] for token in layer] for layer in numbers.tolist()]
    content = {
        "text": TEXT,
        "token_ids": ids[0].tolist(),
        "gpt2": gpt2_differences(GPT2_SIZES["gpt2"]),
        "gpt2_not_turned": gpt2_differences(GPT2_SIZES["gpt2"], not_turned=SQUARE),
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "first_numbers": rows,
    }
    replace_file(path, (json.dumps(content) + "\n").encode("utf8"))


def run() -> int:
    """Print how far ours and theirs are apart; 0 when all of it is below the bound."""
    ids = read_sentence()
    bert = differences(look_inside(load_minilm(), ids).hidden, published_minilm(ids)).tolist()
    gpt = gpt2_differences(GPT2_SIZES["gpt2"])
    print("Largest difference of a number between ours and transformers', float32:")
    print("MiniLM, published weights:", *(f"{x:.1e}" for x in bert))
    print("GPT-2, random weights:    ", *(f"{x:.1e}" for x in gpt["hidden"]))
    print(f"  scores of the next token: {gpt['logits']:.1e}")
    return int(max(*bert, *gpt["hidden"], gpt["logits"]) >= BOUND)
