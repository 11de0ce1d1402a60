"""Which activation the published models use, as lesson 32 says."""

import pytest

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize(
    ("config", "field", "name"),
    [
        ("OpenAIGPTConfig", "afn", "gelu"),
        ("GPT2Config", "activation_function", "gelu_new"),
        ("BertConfig", "hidden_act", "gelu"),
        ("OPTConfig", "activation_function", "relu"),
        ("LlamaConfig", "hidden_act", "silu"),
        ("T5Config", "feed_forward_proj", "relu"),
    ],
)
def test_the_default_of_the_published_configuration(config, field, name):
    assert getattr(getattr(transformers, config)(), field) == name
