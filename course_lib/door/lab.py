"""``lab``: JupyterLab on the contents lesson, in the learner's own copies."""

import argparse
import os
import subprocess
from pathlib import Path

from course_lib.door import environment, lessons, machine, my_course, pins
from course_lib.door.files import ROOT

SETTINGS = Path(__file__).with_name("jupyter")


def parser() -> argparse.ArgumentParser:
    """The command line of ``python3 -m course_lib lab``."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib lab",
        description="Open the lessons in JupyterLab; anything not listed here is passed on to it "
                    "(for example --no-browser or --port 9000).",
    )
    made.add_argument("--fresh", nargs="+", metavar="NN", default=[],
                      help="take a new copy of these lessons; the old ones keep a dated name")
    made.add_argument("--wheels", type=Path, metavar="FOLDER",
                      help="install from the wheels in this folder, without a network")
    return made


def main(argv: list[str]) -> int:
    """Install what is missing, bring ``my_course/`` up to date, start JupyterLab."""
    options, passed_on = parser().parse_known_args(argv)
    renewed = lessons.choose(options.fresh) if options.fresh else []
    if machine.on_a_hub():
        return on_a_hub()
    python = environment.ready("", options.wheels)
    copy_lessons(renewed)
    command = [str(python), "-m", "jupyterlab", f"--LabApp.default_url={start_page()}"]
    if getattr(os, "geteuid", lambda: 1)() == 0:
        command.append("--allow-root")  # in a container everybody is root
    print("Starting JupyterLab. To stop it: Ctrl-C here, twice, or File > Shut Down.", flush=True)
    return start([*command, *passed_on])


def start(command: list[str]) -> int:
    """Run JupyterLab until it ends; its exit status."""
    return wait(subprocess.Popen(command, cwd=ROOT, env=lab_environment()))


def copy_lessons(renewed: list[lessons.Lesson]) -> None:
    """Add what is new to ``my_course/``, and new copies of some lessons."""
    for lesson in renewed:
        kept = my_course.fresh(lesson)
        print(f"New copy of {lesson.notebook.name}"
              + (f"; yours is kept as {kept.name}" if kept else ""))
    new = my_course.update()
    if new:
        print(f"Copied into my_course/: {', '.join(path.name for path in new)}")


def on_a_hub() -> int:
    """On a hub JupyterLab runs already, and the lessons themselves are opened."""
    lacking = pins.missing()
    if lacking:
        print("JupyterLab runs here already, but the course lacks " + ", ".join(lacking)
              + ". The person who runs this hub can install it: pip install PATH-OF-THIS-FOLDER")
        return 1
    print("JupyterLab runs here already: open notebooks/01_how_this_course_works.ipynb in it.")
    return 0


def start_page() -> str:
    """The contents lesson among the learner's copies."""
    first = sorted(my_course.FOLDER.glob("01_*.ipynb"), key=lambda path: len(path.name))
    return f"/lab/tree/my_course/{first[0].name}" if first else "/lab/tree/my_course"


def lab_environment() -> dict[str, str]:
    """This folder's library for every kernel, and one default setting for JupyterLab.

    The setting (``commsOverSubshells``: disabled) keeps a slider from drawing in a second thread
    while a cell runs.  It is a default of this server alone; the learner's own settings win.
    """
    added = {"PYTHONPATH": ROOT, "JUPYTER_CONFIG_PATH": SETTINGS}
    values = dict(os.environ, JUPYTER_PREFER_ENV_PATH="1")
    for name, path in added.items():
        values[name] = os.pathsep.join([str(path), *filter(None, [os.environ.get(name)])])
    return values


def wait(process: subprocess.Popen) -> int:
    """Wait for JupyterLab; Ctrl-C goes to it, and it is the one to ask and to stop."""
    stopped = False
    while True:
        try:
            status = process.wait()
            return 0 if stopped else status  # stopped on purpose: nothing went wrong
        except KeyboardInterrupt:
            stopped = True
