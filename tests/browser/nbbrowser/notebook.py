"""`Notebook`: one lesson open in the browser; run it, look at it, list what is wrong."""

import ast
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Locator

from nbbrowser.lab import Lab

PROBLEMS = (Path(__file__).parent / "problems.js").read_text(encoding="utf8")
SLIDER = ".noUi-handle[role=slider], input[type=range]"
HARMLESS = (
    "favicon", "ResizeObserver loop", "net::ERR_INTERNET_DISCONNECTED",
    "net::ERR_NAME_NOT_RESOLVED",
)
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext"


class Notebook:
    """A page with one notebook; leaving the `with` block shuts its kernel down.

    Attributes:
        page: Playwright's page.
        console: Errors that the browser's console showed.
    """

    def __init__(self, lab: Lab, name: str):
        self._lab, self._name = lab, name
        self.console: list[str] = []

    def __enter__(self) -> "Notebook":
        self.page = self._lab.context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.console.append(f"page error: {error}"))
        lab = self._lab
        self.page.goto(f"{lab.url}/doc/tree/{self._name}?token={lab.token}&reset")
        self.page.wait_for_function(
            "() => { const w = window.jupyterapp?.shell?.currentWidget; return"
            " w?.context?.isReady && w.sessionContext?.session?.kernel?.status === 'idle'; }",
            timeout=90_000,
        )
        return self

    def __exit__(self, *_exception) -> None:
        try:
            self.page.evaluate(f"async () => {{ await {KERNEL}.shutdown(); }}")
        except Error:  # the page is gone already; the server ends its kernels
            pass
        self.page.close()

    def _note(self, message) -> None:
        text = f"{message.text} {message.location}"
        if message.type == "error" and not any(word in text for word in HARMLESS):
            self.console.append(message.text)

    def run_all(self, seconds: float = 600) -> None:
        """Run every cell and wait until the kernel is idle."""
        self.start_all()
        self.wait_until_run(seconds)

    def start_all(self) -> None:
        """Run every cell without waiting."""
        self.page.evaluate(
            "() => { window.__done = false; window.jupyterapp.commands"
            ".execute('notebook:run-all-cells').finally(() => { window.__done = true; }); }"
        )

    def wait_until_run(self, seconds: float = 600) -> None:
        """Wait until all cells have run and the page has come to rest."""
        self.page.wait_for_function("() => window.__done", timeout=seconds * 1000)
        self.wait_idle()
        self.page.wait_for_timeout(500)

    def wait_idle(self, quiet: int = 400) -> None:
        """Wait until the kernel has been idle for `quiet` ms."""
        self.page.evaluate("() => { window.__busy = performance.now(); }")
        self.page.wait_for_function(
            f"quiet => {{ const now = performance.now();"
            f" if ({KERNEL}.session.kernel.status !== 'idle') window.__busy = now;"
            " return now - window.__busy > quiet; }",
            arg=quiet, timeout=120_000,
        )

    def run_in_kernel(self, expression: str) -> Any:
        """The value of a Python expression in the notebook's kernel, as far as JSON can hold it."""
        text = self.page.evaluate(
            f"async code => {{ const made = {KERNEL}.session.kernel.requestExecute({{ code: '',"
            " store_history: false, user_expressions: { value: code } }); const reply = await"
            " made.done; return reply.content.user_expressions.value; }",
            f"__import__('json').dumps({expression})",
        )
        if "data" not in text:
            raise RuntimeError(f"{expression}: {text['ename']}: {text['evalue']}")
        return json.loads(ast.literal_eval(text["data"]["text/plain"]))

    def set_theme(self, dark: bool) -> None:
        """Switch JupyterLab between its light and its dark theme."""
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
        )
        shown = "false" if dark else "true"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{shown}']", state="attached")
        self.page.wait_for_timeout(500)

    def problems(self) -> list[str]:
        """Everything that a reader would see go wrong, and the console's errors."""
        return self.page.evaluate(PROBLEMS)["found"] + [f"console: {e}" for e in self.console]

    def widgets(self) -> int:
        """How many widget views the outputs hold."""
        return self.page.evaluate(PROBLEMS)["widgets"]

    def sliders(self) -> list[Locator]:
        """All slider handles in the outputs, from top to bottom."""
        return self.page.locator(".jp-OutputArea").locator(SLIDER).all()

    def screenshot(self, path: Path, tallest: int = 30_000) -> None:
        """The whole notebook in one picture: the window grows until everything fits."""
        page = self.page
        page.evaluate(
            "() => { for (const cell of window.jupyterapp.shell.currentWidget.content.widgets)"
            " if (cell.model.type === 'code') cell.outputsScrolled = false; }"
        )
        for _ in range(3):  # JupyterLab pads the scroll area, so its own height never settles
            height = page.evaluate(
                "() => { const area = document.querySelector('.jp-WindowedPanel-outer'),"
                " cells = area.querySelectorAll('.jp-Cell'); area.scrollTop = 0;"
                " const box = e => e.getBoundingClientRect();"
                " return Math.ceil(box(area).top + box(cells[cells.length - 1]).bottom"
                " - box(cells[0]).top + 60); }"
            )
            height = min(max(height, 300), tallest)
            page.set_viewport_size({"width": self._lab.width, "height": height})
            page.wait_for_timeout(400)
        page.screenshot(path=str(path))
        page.set_viewport_size({"width": self._lab.width, "height": self._lab.height})
        page.wait_for_timeout(300)
