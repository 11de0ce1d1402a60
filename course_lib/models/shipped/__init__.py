"""Weights that the project has trained itself: small, read without a network, with their logs.

``python3 -m course_lib train NAME`` makes such files (``training.recipes``).
"""

from course_lib.models.shipped.files import NAMES, load, log, write
from course_lib.models.shipped.model import Shipped

__all__ = ["NAMES", "Shipped", "load", "log", "write"]
