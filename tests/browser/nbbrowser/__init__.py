"""Drive a notebook in real JupyterLab and a real browser, look at it, and time its widgets."""

from nbbrowser.lab import Lab
from nbbrowser.notebook import Notebook
from nbbrowser.sliders import drag, first_sliders, keyboard_steps

__all__ = ["Lab", "Notebook", "drag", "first_sliders", "keyboard_steps"]
