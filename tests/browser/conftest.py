"""A browser, one JupyterLab for all tests, and the notebooks that they look at.

The lessons are cut down to the cells tagged `setup` and `widget`.  A notebook of our own,
`samples`, holds one of every widget, so that this works before there is any lesson.
"""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the package nbbrowser beside this file

from nbbrowser import Lab  # noqa: E402
from nbbrowser.sources import names_of_notebooks, notebook_of, sources_of  # noqa: E402

from course_lib.door import browser as browsers  # noqa: E402


@pytest.fixture(scope="session")
def browser():
    """The browser's program; without one the tests are skipped, or fail where CI demands one."""
    found = browsers.find_browser()
    if found is None and browsers.required():
        pytest.fail(f"COURSE_REQUIRE_BROWSER is set, and no browser was found. {browsers.ADVICE}")
    if found is None:
        pytest.skip(f"no browser was found. {browsers.ADVICE}")
    return found


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """JupyterLab with the settings that learners have, in the browser."""
    with Lab(tmp_path_factory.mktemp("notebooks"), browser) as running:
        yield running


@pytest.fixture
def open_notebook(lab):
    """Open a new notebook made of the given cells; it is closed after the test."""
    with ExitStack() as stack:
        yield lambda name, sources: stack.enter_context(notebook_of(lab, name, sources))


@pytest.fixture(scope="session", params=names_of_notebooks())
def lesson(request, lab):
    """One notebook's widgets, run and ready.

    For the session, so that all tests of a lesson, in whichever file, share one notebook: pytest
    runs them one after the other.  A test leaves theme and window as it found them; sliders move.
    """
    with notebook_of(lab, request.param, sources_of(request.param)) as notebook:
        notebook.run_all()
        notebook.name = request.param
        yield notebook
