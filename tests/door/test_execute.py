import os
import sys
from pathlib import Path

import nbformat
import pytest

from course_lib.door.execute import execute, peak_megabytes

v4 = nbformat.v4


def test_the_kernel_is_this_interpreter_whatever_is_registered(tmp_path, monkeypatch):
    stray = tmp_path / "data" / "kernels" / "python3"
    stray.mkdir(parents=True)
    (stray / "kernel.json").write_text('{"argv": ["no-such-program"], "display_name": "stray"}',
                                       encoding="utf8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    cell = v4.new_code_cell("import sys; print(sys.executable, end='')")
    peak = execute(v4.new_notebook(cells=[cell]), tmp_path)
    assert cell.outputs[0].text == sys.executable
    assert peak is None or 20 < peak < 400


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak")
def test_the_peak_is_remembered_after_the_memory_is_given_back():
    before = peak_megabytes(os.getpid())
    held = bytearray(int((before + 200) * 2**20))
    held[::4096] = bytes([1]) * len(held[::4096])
    del held
    assert peak_megabytes(os.getpid()) > before + 150
    assert peak_megabytes(2**22 + 1) is None
