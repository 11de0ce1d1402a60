"""The door: ``python3 -m course_lib lab`` (Windows: ``py -m course_lib lab``)."""

import sys


def main(argv):
    """Stand-in until the launcher is here: the command that authors need."""
    if argv[:1] == ["notebooks"]:
        from course_lib.door import notebooks

        return notebooks.main(argv[1:])
    print("usage: python3 -m course_lib notebooks [--from-text | --check] [NN ...]")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
