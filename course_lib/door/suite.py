"""``test``: all tests in stages, each with its result and its time at the end."""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from course_lib.door import browser as browsers
from course_lib.door import environment, extras
from course_lib.door.files import ROOT

ONE_THREAD = {name: "1" for name in ("COURSE_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
# Two cores, two processes; a file's tests share what they have trained, so they stay together.
TWO_AT_A_TIME = ("-n", "2", "--dist=loadfile")
KINDS = ("passed", "failed", "errors", "skipped")


class Stage(NamedTuple):
    """One run of pytest."""

    name: str
    arguments: list[str]
    variables: dict[str, str]


class Result(NamedTuple):
    """How a stage ended; ``status`` is pytest's exit status."""

    name: str
    status: int
    seconds: float
    counts: dict[str, int]


def parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib test``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib test",
        description="Run all tests. For some of them: python -m pytest tests/mechanisms -k softmax",
    )
    made.add_argument("--quick", action="store_true",
                      help="only the tests that need neither a browser nor running the notebooks")
    made.add_argument("--extras", action="store_true",
                      help="first install the optional texts and weights, and require them")
    return made


def main(argv: list[str]) -> int:
    """0 when every test there is has passed; 1 after a failure; 3 when not all could be run."""
    options = parser().parse_args(argv)
    browser = None if options.quick else browsers.find_browser()
    if not options.quick and browser is None and browsers.required():
        print(f"COURSE_REQUIRE_BROWSER is set, and no browser was found. {browsers.ADVICE}")
        return 1
    start = time.monotonic()
    python = environment.ready("test")
    if options.extras:
        extras.install(list(extras.NAMES), python)
        os.environ[extras.REQUIRE] = "1"  # a test that finds one missing fails
    results = [Result("install", 0, time.monotonic() - start, {})]
    results += [run(stage, python) for stage in stages(options.quick, browser)]
    return report(results, everything=options.quick or browser is not None)


def stages(quick: bool, browser: Path | None) -> list[Stage]:
    """What is run, in order: the browser tests last and alone, because they measure latency."""
    unit = Stage("unit", ["tests", "--ignore=tests/browser", "--durations=10", *TWO_AT_A_TIME],
                 ONE_THREAD)
    if quick:
        return [unit]
    lessons = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    notebooks = Stage(
        "notebooks",
        ["--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout=900",
         "-p", "tests.notebooks.lesson_memory", *TWO_AT_A_TIME, *(lessons or ["notebooks"])],
        ONE_THREAD,
    )
    found = [unit, notebooks]
    if browser is not None:
        found.append(Stage("browser", ["tests/browser", "--durations=10"],
                           {"COURSE_BROWSER": str(browser)}))
    return found


def run(stage: Stage, python: Path) -> Result:
    """Run one stage and count its tests from the report that pytest writes."""
    print(f"\n--- {stage.name} ---", flush=True)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    variables = {**os.environ, "PYTHONPATH": path, **stage.variables}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.xml")
        command = [str(python), "-m", "pytest", *stage.arguments, f"--junitxml={file}"]
        status = subprocess.run(command, cwd=ROOT, env=variables).returncode
        counts = count(file)
    return Result(stage.name, status, time.monotonic() - start, counts)


def count(file: Path) -> dict[str, int]:
    """Passed, failed, errors and skipped tests in a JUnit report; nothing where there is none."""
    if not file.exists():
        return {}
    total = dict.fromkeys(KINDS, 0)
    for suite in ElementTree.parse(file).iter("testsuite"):
        found = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors",
                                                            "skipped")}
        total["failed"] += found["failures"]
        total["errors"] += found["errors"]
        total["skipped"] += found["skipped"]
        total["passed"] += found["tests"] - sum(found[name] for name in found if name != "tests")
    return total


def words(counts: dict[str, int]) -> str:
    """{'passed': 3, 'failed': 0} -> '3 passed'."""
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts.get(kind)) or "no tests"


def report(results: list[Result], everything: bool) -> int:
    """Print the table of stages and the closing line; the exit status of the whole."""
    print("\nstage        seconds  result")
    for result in results:
        said = "done" if result.name == "install" else words(result.counts)
        failed = "" if result.status == 0 else f"  FAILED (pytest's status {result.status})"
        print(f"{result.name:<12} {result.seconds:7.1f}  {said}{failed}")
    total = {kind: sum(result.counts.get(kind, 0) for result in results) for kind in KINDS}
    seconds = sum(result.seconds for result in results)
    print(f"=== {words(total)} in {seconds:.1f}s ===")
    if any(result.status for result in results):
        return 1
    if not everything:
        print("Not everything was tested: no browser was found, so the tests of the widgets in "
              f"JupyterLab were left out. {browsers.ADVICE}")
        return 3
    return 0
