"""What Hugging Face transformers answers with published weights, written down once.

Who has the weights and not transformers can compare all the same.  ``published_answers.json`` was
written by ``course_lib.bench.agreement.write``.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class PublishedAnswers:
    """One sentence inside the published MiniLM, and how close our GPT comes to a whole GPT-2.

    Attributes:
        text, token_ids: the sentence, with special tokens.
        first_numbers: behind the embedding and each layer, the first numbers of every token.
        gpt2: largest differences between our GPT and transformers' GPT-2, both of the full
            published shape with the same random weights: "hidden" for each layer, "logits";
            and "largest", the largest number compared.
        gpt2_not_turned: the same with one square matrix taken the wrong way round.
        versions: of what computed this.
    """

    text: str
    token_ids: Int64[Tensor, "1 seq"]
    first_numbers: Float64[Tensor, "layers seq first"]
    gpt2: dict
    gpt2_not_turned: dict
    versions: dict[str, str]


def published_answers(path: Path = FILE) -> PublishedAnswers:
    """Read what was written down."""
    found = json.loads(path.read_text(encoding="utf8"))
    numbers = torch.tensor(found["first_numbers"], dtype=torch.float64)
    return PublishedAnswers(
        found["text"], torch.tensor([found["token_ids"]]), numbers, found["gpt2"],
        found["gpt2_not_turned"], found["versions"],
    )  # fmt: skip
