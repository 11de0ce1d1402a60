import pytest
import torch

from course_lib.mechanisms.activations import gelu_tanh
from course_lib.mechanisms.norms import layer_norm
from course_lib.mechanisms.softmax import softmax


@pytest.mark.parametrize("mechanism", [softmax, layer_norm, gelu_tanh])
def test_with_gradients_off_the_result_is_the_same_to_the_last_bit(mechanism):
    x = torch.randn(3, 5, requires_grad=True)
    recorded = mechanism(x)
    with torch.no_grad():
        assert torch.equal(mechanism(x), recorded)
    with torch.inference_mode():
        assert torch.equal(mechanism(x), recorded)
    assert recorded.requires_grad and not mechanism(x.detach()).requires_grad
