"""Optional packages in tests: the real ones where they are installed, made-up ones elsewhere."""

import hashlib
import os

import pytest

from course_lib import packaged


def needs(name):
    """Skip a test whose package is absent; where the extras are required, it runs and fails."""
    required = bool(os.environ.get("COURSE_REQUIRE_EXTRAS"))
    extra = packaged.FILES[name].extra
    return pytest.mark.skipif(
        not packaged.is_installed(name) and not required,
        reason=f"python3 -m course_lib extras {extra} installs it (CI must have it)",
    )


def loaded(load):
    """What `load()` finds in an optional package; without it the test is skipped, or fails."""
    try:
        return load()
    except ModuleNotFoundError as error:
        if os.environ.get("COURSE_REQUIRE_EXTRAS"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def put(monkeypatch, folder, name, content, sha256=None):
    """Install a package that has the file of this name, with this content, ahead of a real one."""
    wanted = packaged.FILES[name]
    about = folder / f"{wanted.package.replace('-', '_')}-{wanted.version}.dist-info"
    file = folder / wanted.path
    for path, text in {
        about / "METADATA": f"Name: {wanted.package}\nVersion: {wanted.version}\n",
        about / "RECORD": f"{wanted.path},,\n",
        file: content,
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf8"))
    sha256 = sha256 or hashlib.sha256(content.encode("utf8")).hexdigest()
    fields = {**vars(wanted), "sha256": sha256}
    monkeypatch.setitem(packaged.FILES, name, packaged.Packaged(**fields))
    monkeypatch.syspath_prepend(str(folder))
    return file
