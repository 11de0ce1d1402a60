"""Finds the browser that the browser tests drive: Chromium, Chrome or Edge."""

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
         "microsoft-edge", "microsoft-edge-stable", "msedge")
MAC = ("Chromium.app/Contents/MacOS/Chromium",
       "Google Chrome.app/Contents/MacOS/Google Chrome",
       "Microsoft Edge.app/Contents/MacOS/Microsoft Edge")
WINDOWS = ("Chromium/Application/chrome.exe",
           "Google/Chrome/Application/chrome.exe",
           "Microsoft/Edge/Application/msedge.exe")
ADVICE = ("Install Chromium, Chrome or Edge, or set COURSE_BROWSER to the path of one "
          "(Debian: apt-get install chromium).")


def find() -> Path | None:
    """The browser's program; COURSE_BROWSER, when set, must name one."""
    named = os.environ.get("COURSE_BROWSER")
    if named:
        path = shutil.which(named)
        if path is None:
            raise ValueError(f"COURSE_BROWSER must name a browser's program, got {named!r}")
        return Path(path)
    places = [Path(path) for path in map(shutil.which, NAMES) if path]
    return next((path for path in places + _usual_places() if path.is_file()), None)


def _usual_places() -> list[Path]:
    """Where macOS and Windows put browsers without adding them to the search path."""
    if sys.platform == "darwin":
        folders = (Path("/Applications"), Path.home() / "Applications")
        return [folder / name for name in MAC for folder in folders]
    variables = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
    folders = [Path(os.environ[name]) for name in variables if os.environ.get(name)]
    return [folder / name for name in WINDOWS for folder in folders]


def required() -> bool:
    """Whether the tests must fail without a browser (CI sets COURSE_REQUIRE_BROWSER=1)."""
    return os.environ.get("COURSE_REQUIRE_BROWSER", "") not in ("", "0")
