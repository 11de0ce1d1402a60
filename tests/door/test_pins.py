import pytest

from course_lib.door import pins


@pytest.mark.parametrize(
    ("requirement", "version", "answer"),
    [
        ("ipykernel>=7.4,<8", "7.4.0", True),
        ("ipykernel>=7.4,<8", "7.3.9", False),
        ("ipykernel>=7.4,<8", "7.10", True),
        ("ipykernel>=7.4,<8", "8.0.0a1", False),
        ("ipywidgets==8.*", "8.1.9", True),
        ("ipywidgets==8.*", "7.9", False),
        ("torch==2.13.0", "2.13.0+cpu", True),
        ("torch==2.13.0", "2.13.1", False),
        ("a>=2", "2.0", True),
        ("a>=2.0", "2", True),
        ("a>=2.5", "2.5", True),
        ("a==2.0", "2", True),
        ("a>=2.0.1", "2", False),
        ("a", "0.1", True),
        ("a<=3", "3.1", False),
        ("a>3", "3.1", True),
        ("a!=3.1", "3.1.0", False),
    ],
)
def test_allows(requirement, version, answer):
    assert pins.allows(requirement, version) is answer


def test_every_requirement_of_the_project_can_be_read():
    for extra in ["", *pins.extras()]:
        for line in pins.requirements(extra):
            name, specs = pins.split(line)
            assert name and specs, line
            assert line == name + ",".join(sign + version for sign, version in specs)


def test_the_pinned_torch_is_one_that_the_project_allows():
    wanted = next(line for line in pins.requirements() if pins.split(line)[0] == "torch")
    assert pins.allows(wanted, pins.tool()["torch"].removeprefix("torch=="))


def test_missing_names_what_is_absent_and_what_is_too_old(monkeypatch):
    have = {"torch": "2.5.0", "numpy": "2.4.6"}
    monkeypatch.setattr(pins, "installed", have.get)
    lacking = pins.missing()
    assert "torch>=2.6,<3" in lacking and "regex>=2024.5.15" in lacking
    assert not any(line.startswith("numpy") for line in lacking)


def test_this_interpreter_lacks_nothing():
    assert pins.missing("test") == []
