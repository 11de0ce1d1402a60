"""Lesson 64 where neither the published weights nor transformers are installed."""

from interrupted import cells

from course_lib import packaged
from course_lib.bench import agreement


def test_every_cell_works_and_says_what_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    monkeypatch.setattr(agreement, "has_transformers", lambda: False)
    namespace = {"__name__": "lesson"}
    for code in cells("64_real_checkpoints", {}):
        exec(compile(code, "lesson 64", "exec"), namespace)
    namespace["place"].cleanup()
    said = capsys.readouterr().out
    assert not namespace["encoder"].is_published and namespace["agreed"] == []
    for missing in ("the comparison on this machine", "MiniLM beside", "the table of places"):
        assert f"Left out: {missing}" in said
