"""Drive a notebook in real JupyterLab and a real browser, look at it, and time its widgets."""

from nbbrowser.lab import Lab
from nbbrowser.notebook import Notebook
from nbbrowser.sliders import drag, keyboard_steps

__all__ = ["Lab", "Notebook", "drag", "keyboard_steps"]
