import pytest
import torch

from course_lib.config import GPT2_SIZES, GPTConfig
from course_lib.models.counting import count_gpt_parameters
from course_lib.models.gpt import GPT

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes_are_counted_exactly(name):
    assert count_gpt_parameters(GPT2_SIZES[name])["total"] == PUBLISHED[name]


@pytest.mark.parametrize("tied", [True, False])
def test_counts_equal_a_real_model(tied):
    config = GPTConfig(
        13, 8, d_model=10, n_layers=3, n_heads=3, d_head=5, d_ff=17, tie_embeddings=tied
    )
    model = GPT(config)
    counted = count_gpt_parameters(config)
    assert counted["total"] == sum(p.numel() for p in model.parameters())
    assert counted["attention"] == sum(p.numel() for b in model.blocks for p in b.attn.parameters())
    assert counted["norms"] == sum(p.numel() for n, p in model.named_parameters() if "norm" in n)


def test_the_largest_model_counts_without_its_memory():
    with torch.device("meta"):
        model = GPT(GPT2_SIZES["gpt2-xl"])
    assert sum(p.numel() for p in model.parameters()) == PUBLISHED["gpt2-xl"]
