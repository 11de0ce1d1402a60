"""The door: ``python3 -m course_lib lab`` (Windows: ``py -m course_lib lab``).

This file and ``door/pythons.py`` are read by whatever Python is at hand, however old, so that it
can say in one sentence what is needed instead of a syntax error.
"""

import sys

COMMANDS = {
    "lab": "open the lessons in JupyterLab (installs what is missing first)",
    "test": "run all tests (installs what is missing first)",
    "extras": "install the optional texts and weights (no lesson needs them)",
    "doctor": "say whether this machine is fit for the course",
    "bench": "compare speed, and what is learnt at equal cost, with the published models",
    "train": "train a model that the course ships, again",
    "notebooks": "execute lessons and write their text twins (for authors)",
}


def usage():
    """What can be asked for, one line a command."""
    lines = ["usage: python3 -m course_lib COMMAND    (Windows: py -m course_lib COMMAND)", ""]
    lines += ["  %-10s %s" % pair for pair in COMMANDS.items()]
    lines += ["", "COMMAND --help says more about one of them."]
    return "\n".join(lines)


def main(argv):
    """Run one command and return its exit status."""
    if sys.version_info < (3, 6):
        print("The course needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])
        return 1
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if argv else 2
    if argv[0] not in COMMANDS:
        print("There is no command %r.\n\n%s" % (argv[0], usage()))
        return 2
    try:
        if sys.version_info < (3, 11):
            from course_lib.door.pythons import hand_over

            return hand_over(argv)
        from course_lib.door.commands import run

        return run(argv[0], argv[1:])
    except KeyboardInterrupt:
        print("\nStopped. The same command can simply be called again.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
