import json

from jupyterlab_server.settings_utils import get_settings

from course_lib.door import lab, setting

KERNELS = "@jupyterlab/apputils-extension:kernels-settings"


def test_both_copies_of_the_setting_are_the_same():
    other = lab.SETTINGS / "labconfig" / "default_setting_overrides.json"
    values = json.loads(setting.SOURCE.read_text(encoding="utf8"))
    assert values == json.loads(other.read_text(encoding="utf8"))
    assert values == {KERNELS: {"commsOverSubshells": "disabled"}}


def test_it_is_written_under_a_name_of_its_own(monkeypatch, tmp_path):
    place = setting.target(str(tmp_path))
    assert place.parent.name == "overrides.d" and place.name == "course_lib.json"
    monkeypatch.setattr("course_lib.door.setting.target", lambda: place)
    assert setting.main() == 0
    assert place.read_bytes() == setting.SOURCE.read_bytes()


def settings(monkeypatch, tmp_path, users):
    """What JupyterLab would use: its schema, our default, the user's own choice."""
    schemas, own = tmp_path / "schemas", tmp_path / "user"
    name, file = KERNELS.split(":")
    (schemas / name).mkdir(parents=True)
    schema = {"type": "object", "properties": {"commsOverSubshells": {
        "type": "string", "default": "perCommTarget"}}}
    (schemas / name / f"{file}.json").write_text(json.dumps(schema), encoding="utf8")
    (own / name).mkdir(parents=True)
    (own / name / f"{file}.jupyterlab-settings").write_text(json.dumps(users), encoding="utf8")
    found, _ = get_settings(str(tmp_path / "app"), str(schemas), str(own), schema_name=KERNELS)
    default = found["schema"]["properties"]["commsOverSubshells"]["default"]
    return found["settings"].get("commsOverSubshells", default)


def test_lab_starts_jupyterlab_with_this_default(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path / "nothing"))
    assert settings(monkeypatch, tmp_path / "1", {}) == "perCommTarget"
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", lab.lab_environment()["JUPYTER_CONFIG_PATH"])
    assert settings(monkeypatch, tmp_path / "2", {}) == "disabled"


def test_the_file_of_an_environment_does_the_same(monkeypatch, tmp_path):
    place = tmp_path / "3" / "app" / "overrides.d" / "course_lib.json"
    place.parent.mkdir(parents=True)
    place.write_bytes(setting.SOURCE.read_bytes())
    assert settings(monkeypatch, tmp_path / "3", {}) == "disabled"


def test_the_learners_own_choice_wins(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", lab.lab_environment()["JUPYTER_CONFIG_PATH"])
    own = {"commsOverSubshells": "perComm"}
    assert settings(monkeypatch, tmp_path, own) == "perComm"
