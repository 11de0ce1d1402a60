"""The sentence under a picture: caption, live region and text output in one."""

import html

from ipywidgets import HTML


class Caption(HTML):
    """One sentence in the colour of JupyterLab's theme."""

    def __init__(self, sentence: str = ""):
        super().__init__()
        self.add_class("course-caption")  # by which `Access` finds it
        self.write(sentence)

    def write(self, sentence: str) -> None:
        """Show another sentence; any text, nothing in it is markup."""
        self.sentence = sentence
        self.value = (
            '<p style="margin:4px; line-height:1.4; color:var(--jp-ui-font-color1, inherit)">'
            f"{html.escape(sentence)}</p>"
        )
