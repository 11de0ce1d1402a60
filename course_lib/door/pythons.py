"""Which Python makes ``.venv``: the running one where PyTorch has a wheel for it, else another.

Parses on every Python from 3.6, because an old Python reads it to find a newer one.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROBE = (
    "import sys, struct, platform, venv, ensurepip; "
    "print('%d.%d' % sys.version_info[:2], struct.calcsize('P') * 8, platform.machine())"
)
FOLDERS = (  # where macOS installers put Python without adding it to the search path
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/Library/Frameworks/Python.framework/Versions/{version}/bin",
)


class NoPython(Exception):
    """No Python on this machine can carry the course; the message says what to do."""


def supported():
    """The Python versions for which the pinned PyTorch has wheels, best first."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf8")
    found = re.search(r"^pythons = \[(.*?)\]", text, re.MULTILINE)
    return re.findall(r"3\.\d+", found.group(1))


def probe(command):
    """(version, bits, machine) of a Python that can make environments; None for any other."""
    try:
        done = subprocess.run(
            list(command) + ["-c", PROBE],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    words = done.stdout.split()
    return (words[0], int(words[1]), words[2]) if done.returncode == 0 and len(words) == 3 else None


def fits(facts, system=None):
    """Whether PyTorch ships wheels for a Python with these facts."""
    if facts is None:
        return False
    system = system or sys.platform
    version, bits, machine = facts
    return version in supported() and bits == 64 and not (
        system == "darwin" and machine == "x86_64"
    )


def candidates():
    """Commands of Pythons that may be installed here, best version first."""
    found = []
    for version in supported():
        places = os.environ.get("PATH", "").split(os.pathsep)
        places += [folder.format(version=version) for folder in FOLDERS]
        paths = [shutil.which("python" + version, path=place) for place in places if place]
        found += [path for path in paths if path and path not in found]
    if os.name == "nt":
        found += _windows_pythons()
    return [[path] for path in found]


def _windows_pythons():
    """Paths that the Windows launcher knows (``py -0p``), those it puts first first."""
    try:
        done = subprocess.run(["py", "-0p"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return re.findall(r"[A-Za-z]:\\.*?python\.exe", done.stdout)


def find():
    """The command of the Python to use, the running one if it will do; NoPython if there is none.

    Nothing is downloaded before this has succeeded.
    """
    running = probe([sys.executable])
    if fits(running):
        return [sys.executable]
    for command in candidates():
        if fits(probe(command)):
            return command
    raise NoPython(explain(running))


def explain(running):
    """Why no Python here will do, and what to install or where to go instead."""
    best = "3.12" if "3.12" in supported() else supported()[0]
    get = "Install Python {} (64-bit) from python.org and call this again.".format(best)
    this = "Python {}.{}".format(*sys.version_info[:2])
    machine = platform.machine()
    if sys.platform == "darwin" and machine == "x86_64":
        if _apple_silicon():
            return ("This {} is an Intel build on an Apple Silicon Mac, and PyTorch ships only for "
                    "Apple Silicon. {}".format(this, get))
        return "PyTorch no longer ships for Intel Macs. " + _elsewhere()
    if machine.lower() in ("i386", "i586", "i686", "x86", "armv6l", "armv7l"):
        return "PyTorch no longer ships for 32-bit systems. " + _elsewhere()
    if sys.maxsize < 2**32:
        return "This {} is a 32-bit build, for which PyTorch does not ship. {}".format(this, get)
    if running is None and this.split()[1] in supported():
        return ("This {0} cannot make environments (its venv or ensurepip module is missing). On "
                "Debian or Ubuntu: sudo apt-get install python3-venv. Elsewhere: {1}"
                .format(this, get))
    return ("This is {}; the course needs one of {}, because PyTorch has no wheel for others, and "
            "none of them was found here. {}".format(this, ", ".join(supported()), get))


def _apple_silicon():
    """Whether an Intel Python runs on an Apple Silicon Mac (under Rosetta)."""
    try:
        out = subprocess.run(["sysctl", "-n", "hw.optional.arm64"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, universal_newlines=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    return out.strip() == "1"


def _elsewhere():
    """Where to go when PyTorch cannot be installed on this machine at all."""
    return "The course runs in the browser, with nothing to install: " + binder_link()


def binder_link(path="notebooks/01_how_this_course_works.ipynb"):
    """Binder's address of the course: of the GitHub repository this copy came from, if any."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf8")
    repository = re.search(r'^repository = "(.*?)"', text, re.MULTILINE).group(1)
    config = ROOT / ".git" / "config"
    if config.is_file():
        remote = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$",
                           config.read_text(encoding="utf8"), re.MULTILINE)
        repository = remote.group(1) if remote else repository
    return "https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/tree/{}".format(repository, path)


def hand_over(argv):
    """Run the same command with a Python that is new enough, and return its exit status."""
    try:
        command = find()
    except NoPython as error:
        print(error)
        return 1
    print("Python {}.{} is too old for the course; going on with {}.".format(
        sys.version_info[0], sys.version_info[1], os.path.basename(command[0])), flush=True)
    return follow(command + ["-m", "course_lib"] + list(argv))


def follow(command):
    """Run a command in the course's folder to its end, and return its exit status.

    Ctrl-C reaches it too, and it is given the time to save its work; ``subprocess.call`` would
    kill it a quarter of a second later.
    """
    process = subprocess.Popen(command, cwd=str(ROOT))
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass
