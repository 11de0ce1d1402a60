"""Look at a lesson in a real browser and time its sliders.

    python tests/browser/measure.py NOTEBOOK --out FOLDER [--dark] [--no-sliders] [--steps 12]

Runs the whole notebook in JupyterLab and writes FOLDER/full.png, the notebook in one picture, and
FOLDER/report.json with milliseconds from key press to final picture for every slider.  The status
is 1 when a cell failed, a widget did not come up, the console showed an error, a slider moved
nothing, or a drag left a wrong picture.  Close other programs first: the times are this machine's.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the course, when not installed

from nbbrowser import Lab, Notebook, drag, keyboard_steps  # noqa: E402

from course_lib.door.browser import find_browser  # noqa: E402


def measure_slider(notebook: Notebook, handle, n: int) -> dict:
    """Numbers of one slider, by key and by mouse."""
    label = handle.evaluate(
        "e => e.closest('.widget-inline-hbox')?.querySelector('.widget-label')?.innerText"
        " || e.getAttribute('aria-label') || ''"
    )
    steps = keyboard_steps(notebook, handle, n)
    report = {"label": label.strip(), "median_ms": round(steps.median, 1), **vars(steps)}
    if steps.ms:
        report["drag"] = vars(drag(notebook, handle))
    return report


def wrong_with(report: dict) -> list[str]:
    """One line for every slider that does not do its work."""
    lines = []
    for slider in report["sliders"]:
        if not slider["ms"]:
            lines.append(f"slider {slider['label']!r} changes nothing")
        elif not slider["drag"]["final_right"]:
            lines.append(f"slider {slider['label']!r} leaves a wrong picture after a drag")
    return lines


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--out", type=Path, default=Path("browser-report"))
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--no-sliders", action="store_true")
    parser.add_argument("--width", type=int, default=1280)
    asked = parser.parse_args()
    browser = find_browser()
    if browser is None:
        print("No Chromium, Chrome or Edge found; set COURSE_BROWSER to the browser's program.")
        return 2
    asked.out.mkdir(parents=True, exist_ok=True)
    with Lab(asked.notebook.parent, browser, dark=asked.dark, width=asked.width) as lab:
        with Notebook(lab, asked.notebook.name) as notebook:
            report = look(notebook, asked)
    report["problems"] += wrong_with(report)
    text = json.dumps(report, indent=1)
    (asked.out / "report.json").write_text(text, encoding="utf8")
    print(text)
    return 1 if report["problems"] else 0


def look(notebook: Notebook, asked) -> dict:
    """Run, photograph and measure one open notebook."""
    start = time.monotonic()
    notebook.run_all()
    report = {"run_seconds": round(time.monotonic() - start, 1), "sliders": []}
    notebook.screenshot(asked.out / "full.png")
    if not asked.no_sliders:
        for handle in notebook.sliders():
            report["sliders"].append(measure_slider(notebook, handle, asked.steps))
    report["problems"] = notebook.problems()
    return report


if __name__ == "__main__":
    sys.exit(main())
