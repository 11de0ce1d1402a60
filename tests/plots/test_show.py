import base64
import io
import sys

import numpy as np
from PIL import Image

from course_lib.plots import show


def draw(fig, data):
    fig.subplots().plot(data)


def pixels(picture):
    return np.asarray(Image.open(io.BytesIO(picture.png)).convert("RGB"))


def test_the_bundle_holds_picture_alt_text_and_sentence():
    picture = show(draw, [1, 4, 9], say=lambda data: f"{len(data)} squares", size=(4, 2))
    data, metadata = picture._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]) == picture.png
    assert data["text/plain"] == repr(picture) == "3 squares"
    assert metadata["image/png"] == {"alt": "3 squares", "width": 400}


def test_the_picture_is_opaque_white_and_not_empty():
    seen = pixels(show(draw, [1, 4, 9], size=(4, 2)))
    assert seen.shape == (200, 400, 3)
    assert (seen[0] == 255).all() and seen.min() < 100


def test_more_dots_do_not_make_it_larger_on_the_page():
    fine = show(draw, [1, 2], size=(4, 2), dpi=200)
    assert pixels(fine).shape == (400, 800, 3) and fine.width == 400


def test_the_data_is_what_is_drawn():
    assert (pixels(show(draw, [1, 2])) != pixels(show(draw, [2, 1]))).any()


def test_nothing_global_is_touched():
    show(draw, [1, 2])
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules[
        "matplotlib.pyplot"
    ].get_fignums()
