"""Things to move: sliders over a figure, a live training curve, predictions, hand-written ones.

Everything works without a front end as well: the picture and its sentence are then the output.
"""

from course_lib.widgets.attention_explorer import attention_explorer
from course_lib.widgets.bpe_stepper import bpe_stepper
from course_lib.widgets.controls import choice, control
from course_lib.widgets.dot_product_by_hand import dot_product_by_hand
from course_lib.widgets.explore import Explorer, explore
from course_lib.widgets.live import Live, live
from course_lib.widgets.mask_painter import mask_painter
from course_lib.widgets.predict import Prediction, predict
from course_lib.widgets.steer import Steer, steer

__all__ = [
    "Explorer",
    "Live",
    "Prediction",
    "Steer",
    "attention_explorer",
    "bpe_stepper",
    "choice",
    "control",
    "dot_product_by_hand",
    "explore",
    "live",
    "mask_painter",
    "predict",
    "steer",
]
