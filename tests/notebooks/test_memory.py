"""How much a kernel holds: with the course imported, and while a lesson runs."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_lib.door.execute import execute
from course_lib.door.files import ROOT

v4 = nbformat.v4
LIMIT_MB = 400
IMPORT_ALL = """
import importlib, pkgutil, course_lib
for module in pkgutil.walk_packages(course_lib.__path__, "course_lib."):
    if not module.name.startswith(("course_lib.door", "course_lib.bench", "course_lib.__main__")):
        importlib.import_module(module.name)
print(sorted(set(__import__("sys").modules) & {"torch", "matplotlib", "ipywidgets"}))
"""
linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells it")


@linux
def test_a_kernel_with_the_whole_course_imported_stays_small(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cell = v4.new_code_cell(IMPORT_ALL)
    peak = execute(v4.new_notebook(cells=[cell]), ROOT)
    assert cell.outputs[0].text == "['ipywidgets', 'matplotlib', 'torch']\n"
    assert peak < LIMIT_MB


@linux
@pytest.mark.parametrize(("limit", "status"), [(1200, 0), (10, 1)])
def test_a_lesson_that_holds_too_much_fails(tmp_path, limit, status):
    path = tmp_path / "21_try.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("1")]), path)
    code = (f"import sys, pytest; from tests.notebooks import lesson_memory as plugin; "
            f"plugin.LIMIT_MB = {limit}; sys.exit(pytest.main(['-o', "
            f"'addopts=--import-mode=importlib', '--nbval-lax', '--nbval-current-env', "
            f"{str(path)!r}], plugins=[plugin]))")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == status, done.stdout
    assert "21_try.ipynb: " in done.stdout and "peak memory" in done.stdout
    assert ("this lesson has held" in done.stdout) == (status == 1)
