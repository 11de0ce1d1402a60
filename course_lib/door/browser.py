"""Find a Chromium-like browser on this machine, for the tests that drive real lessons."""

import os
import shutil
import sys
from pathlib import Path

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)
_MAC = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
ADVICE = ("Install Chromium, Chrome or Edge, or set COURSE_BROWSER to the path of one "
          "(Debian: apt-get install chromium).")


def required() -> bool:
    """Whether the tests must fail without a browser (CI sets COURSE_REQUIRE_BROWSER=1)."""
    return os.environ.get("COURSE_REQUIRE_BROWSER", "") not in ("", "0")


def find_browser() -> Path | None:
    """The browser that COURSE_BROWSER names, else the first of Chromium, Chrome, Edge, else None.

    Raises:
        ValueError: COURSE_BROWSER is set, but there is no such file.
    """
    named = os.environ.get("COURSE_BROWSER")
    if named:
        found = shutil.which(named)
        if not found:
            raise ValueError(f"COURSE_BROWSER must name a browser to start, got {named}")
        return Path(found)
    on_path = (shutil.which(name) for name in _NAMES)
    return next((Path(p) for p in [*on_path, *_usual_places()] if p and Path(p).exists()), None)


def _usual_places() -> list[Path]:
    if sys.platform == "darwin":
        roots = (Path("/Applications"), Path.home() / "Applications")
        return [root / name for name in _MAC for root in roots]
    if sys.platform == "win32":
        variables = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        roots = [Path(os.environ[v]) for v in variables if v in os.environ]
        return [root / name for name in _WINDOWS for root in roots]
    return []
