import hashlib
import http.server
import os
import sys
import threading
from pathlib import Path

import pytest

from course_lib.data import download
from course_lib.data.download import Download, cache_folder, fetch

TEXT = b"a text of some length\n" * 9000  # more than one chunk


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        status, body, promised = self.server.answers[self.path]
        self.send_response(status)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def server():
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked, n = [], len(TEXT)
        made.answers = {
            "/good": (200, TEXT, n), "/other": (200, TEXT[:-1] + b"!", n),
            "/longer": (200, TEXT + b"!", n + 1), "/cut": (200, TEXT[:1000], n),
            "/short": (200, TEXT[:1000], 1000), "/gone": (404, b"no such page", 12),
        }  # fmt: skip
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def at(server):
    def wanted(path):
        server.asked.clear()
        url = f"http://127.0.0.1:{server.server_port}{path}"
        return Download("text.txt", url, len(TEXT), hashlib.sha256(TEXT).hexdigest())

    return wanted


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


def test_loaded_once_then_from_the_cache(at, server, tmp_path):
    wanted, folder = at("/good"), tmp_path / "new" / "folder"
    path = fetch(wanted, folder)
    assert path.read_bytes() == TEXT and os.listdir(folder) == ["text.txt"]
    assert fetch(wanted, folder) == path and server.asked == ["/good"]


def test_a_spoilt_file_in_the_cache_is_loaded_anew(at, server, tmp_path):
    wanted = at("/good")
    (tmp_path / "text.txt").write_bytes(TEXT[:-5])
    assert fetch(wanted, tmp_path).read_bytes() == TEXT and server.asked == ["/good"]


@pytest.mark.parametrize("path", ["/other", "/longer"])
def test_another_file_is_refused_and_not_kept(at, tmp_path, path):
    with pytest.raises(ValueError, match=f"{path} must give the 198,000 bytes with the SHA-256 "
                       "[0-9a-f]{64}, got others"):
        fetch(at(path), tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("path", "why"), [
    ("/cut", "broke off after 1,000 of 198,000 bytes|IncompleteRead"),
    ("/short", "broke off after 1,000 of 198,000 bytes"),
    ("/gone", "404"),
])
def test_what_breaks_off_leaves_nothing_and_the_old_file_alone(at, tmp_path, path, why):
    (tmp_path / "text.txt").write_bytes(b"my own notes")
    with pytest.raises(ConnectionError, match=f"cannot load http://.*{path} .*({why})"):
        fetch(at(path), tmp_path)
    assert os.listdir(tmp_path) == ["text.txt"]
    assert (tmp_path / "text.txt").read_bytes() == b"my own notes"


def test_no_network(at, tmp_path, monkeypatch):
    wanted = at("/good")
    closed = Download("text.txt", "http://127.0.0.1:1/text", wanted.n_bytes, wanted.sha256)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(ConnectionError) as caught:
        fetch(closed, tmp_path / "cache")
    assert "save it as ~/cache/text.txt, or take a text that needs none" in str(caught.value)
    assert os.listdir(tmp_path / "cache") == []


def test_an_interrupt_leaves_nothing(at, tmp_path, monkeypatch):
    def interrupted(wanted, file, path):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "_load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(at("/good"), tmp_path)
    assert os.listdir(tmp_path) == []


def test_the_final_name_appears_only_with_all_of_it(at, tmp_path, monkeypatch):
    seen, replace = [], os.replace

    def replaced(source, target):
        seen.append((Path(source).read_bytes() == TEXT, Path(target).exists()))
        replace(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    fetch(at("/good"), tmp_path)
    assert seen == [(True, False)]


@pytest.mark.parametrize(("system", "variables", "expected"), [
    ("linux", {}, "~/.cache/course_lib"),
    ("linux", {"XDG_CACHE_HOME": "/big/cache"}, "/big/cache/course_lib"),
    ("linux", {"XDG_CACHE_HOME": "cache"}, "~/.cache/course_lib"),
    ("linux", {"LOCALAPPDATA": "/wrong"}, "~/.cache/course_lib"),
    ("darwin", {"XDG_CACHE_HOME": "/wrong"}, "~/Library/Caches/course_lib"),
    ("win32", {"LOCALAPPDATA": "/Users/x/AppData/Local"}, "/Users/x/AppData/Local/course_lib"),
    ("win32", {}, "~/AppData/Local/course_lib"),
    ("win32", {"COURSE_CACHE": "/shared"}, "/shared"),
    ("linux", {"COURSE_CACHE": "~/shared", "XDG_CACHE_HOME": "/big"}, "~/shared"),
])
@pytest.mark.skipif(os.name == "nt", reason="the paths are written in the form of the others")
def test_the_users_cache_folder(system, variables, expected, monkeypatch):
    for name in ("COURSE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert cache_folder() == Path(expected).expanduser()
