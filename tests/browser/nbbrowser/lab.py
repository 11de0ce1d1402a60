"""`Lab`: a private JupyterLab server and a browser, gone without a trace afterwards."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_lib.door.lab import lab_environment

WATCH = (Path(__file__).parent / "watch.js").read_text(encoding="utf8")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]


class Lab:
    """JupyterLab on a free local port with settings of its own, in a headless browser.

    Args:
        root: The folder that the server shows.
        browser: The browser's program.
        dark: JupyterLab's dark theme.
        width: Of the window, in CSS pixels.
        height: Of the window.
    """

    def __init__(
        self, root: Path, browser: Path, dark: bool = False, width: int = 1280, height: int = 900
    ):
        self.root, self.browser = Path(root).resolve(), browser
        self.width, self.height = width, height
        self.settings = {
            "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
            "@jupyterlab/apputils-extension/notification": {
                "fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True,
            },
            "@jupyterlab/apputils-extension/themes": {
                "theme": "JupyterLab Dark" if dark else "JupyterLab Light"
            },
        }

    def __enter__(self) -> "Lab":
        self._folder = Path(tempfile.mkdtemp(prefix="nbbrowser-"))
        try:
            self._write_settings()
            self._start_server()
            self._start_browser()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception) -> None:
        if hasattr(self, "context"):
            self.context.close()
        if hasattr(self, "_playwright"):
            self._playwright.stop()
        if hasattr(self, "_server"):
            self._stop_server()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write_settings(self) -> None:
        for name, value in self.settings.items():
            file = self._folder / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value), encoding="utf8")

    def _environment(self) -> dict[str, str]:
        own = {
            "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }
        folders = {name: str(self._folder / folder) for name, folder in own.items()}
        learners = lab_environment()  # so that JupyterLab has the defaults that learners have
        path = str(Path(sys.executable).parent) + os.pathsep + learners.get("PATH", "")
        return {**learners, **folders, "OMP_NUM_THREADS": "1", "PATH": path}

    def _start_server(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.token, self.url = secrets.token_hex(16), f"http://127.0.0.1:{port}"
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
            "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}",
        ]
        log = self._folder / "server.log"
        with log.open("w", encoding="utf8") as file:
            self._server = subprocess.Popen(
                command, env=self._environment(), stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 90
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("JupyterLab did not start:\n" + log.read_text(encoding="utf8"))
            time.sleep(0.2)

    def _ask(self, path: str, method: str = "GET") -> None:
        request = urllib.request.Request(f"{self.url}{path}?token={self.token}", method=method)
        with urllib.request.urlopen(request, timeout=5) as answer:
            answer.read()

    def _answers(self) -> bool:
        try:
            self._ask("/api")
        except (urllib.error.URLError, OSError):
            return False
        return True

    def _stop_server(self) -> None:
        """Ask the server to end its kernels and itself; kill only our own process if it hangs."""
        try:
            self._ask("/api/shutdown", "POST")
            self._server.wait(15)
        except (urllib.error.URLError, OSError, subprocess.TimeoutExpired):
            self._server.kill()
            self._server.wait(15)

    def _start_browser(self) -> None:
        self._playwright = sync_playwright().start()
        self.context = self._playwright.chromium.launch_persistent_context(
            str(self._folder / "profile"), executable_path=str(self.browser), headless=True,
            args=FLAGS, viewport={"width": self.width, "height": self.height},
        )
        self.context.add_init_script(WATCH)
