import pytest
from jaxtyping import config


@pytest.fixture
def unchecked():
    """Switch the shape checks of the test run off, in the parts of a model too."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
