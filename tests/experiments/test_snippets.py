import pytest
import torch
from torch import nn

from course_lib.config import GPTConfig
from course_lib.experiments.snippets import (
    drawn_by_frequency,
    is_program,
    share_of_programs,
    windows_of,
    written_by,
)
from course_lib.models.gpt import GPT


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("snippet", "accepted"),
    [
        ("x = 1\n", True),
        ("    x = 1\n    y = 2\n", True),  # indented as a whole
        ("    x = 1\ny = 2\n", False),
        ("'words'\n", True),
        ("# only a comment\n\n\n", False),
        ("\n\n\n\n\n", False),
        ("", False),
        ("def f():\n", False),
        ("x = '\\d'\n", True),  # warns, and warnings are errors in this run
        ("a\x00b\n", False),
        ("(" * 5000 + ")" * 5000, False),
        ("\ufffd = 1\n", False),
    ],
)
def test_is_program(snippet, accepted):
    assert is_program(snippet) is accepted


def test_share():
    assert share_of_programs(["x = 1\n", "x =\n", "y\n", "# no\n"]) == 0.5
    with pytest.raises(ValueError, match="snippets must not be empty"):
        share_of_programs([])


def test_windows_are_five_whole_lines():
    text = "".join(f"line_{i}\n" for i in range(7)).encode()
    found = windows_of(text, 200, seeded())
    expected = {"".join(f"line_{i}\n" for i in range(s, s + 5)) for s in range(3)}
    assert set(found) == expected
    with pytest.raises(ValueError, match="text must hold at least 5 lines, got 4"):
        windows_of(b"a\nb\nc\nd", 1, seeded())


def test_drawn_by_frequency():
    text = b"aaaab\n" * 100
    found = drawn_by_frequency(text, 300, seeded())
    assert len(found) == 300
    assert all(snippet.count("\n") == 5 for snippet in found)
    joined = "".join(found)
    assert joined.count("a") / len(joined) == pytest.approx(4 / 6, abs=0.02)
    assert "bb" in joined  # never so in the text: order is lost
    with pytest.raises(ValueError, match="text must hold a line end"):
        drawn_by_frequency(b"abc", 1, seeded())


class Typist(nn.Module):
    """Writes its lines again and again, row by row a different one."""

    def __init__(self, *lines):
        super().__init__()
        self.lines, self.weight = lines, nn.Parameter(torch.zeros(1))
        self.modes, self.calls = set(), 0

    def generate(self, ids, n_new, *, temperature, generator):
        self.modes.add(self.training)
        self.calls += 1
        done = ids.shape[1] - 1
        rows = [(line * 100)[done : done + n_new] for line in self.lines]
        new = torch.tensor([list(row) for row in rows])
        return torch.cat([ids, new], dim=1)


def test_written_snippets_end_with_the_fifth_line():
    typist = Typist(b"x = 1\n", b"a long line without an end ", b"\n")
    short, endless, empty = written_by(typist, 3, seeded(), max_bytes=100)
    assert short == "x = 1\n" * 5
    assert endless == (b"a long line without an end " * 9).decode()[:100] + "\n"
    assert empty == "\n" * 5
    assert typist.modes == {False}
    assert typist.training


def test_writing_stops_when_all_are_complete():
    typist = Typist(b"ab\n", b"cd\n")
    assert written_by(typist, 2, seeded(), max_bytes=999) == ["ab\n" * 5, "cd\n" * 5]
    assert typist.calls == 1


def test_a_real_model_writes_and_repeats_itself():
    torch.manual_seed(1)
    model = GPT(GPTConfig(256, 8, 8, 1, 2))
    first, again = (written_by(model, 3, seeded(4), max_bytes=20) for _ in range(2))
    other = written_by(model, 3, seeded(5), max_bytes=20)
    assert first == again != other
    assert len(first) == 3
    with pytest.raises(ValueError, match="n must be a whole number >= 1, got 0"):
        written_by(model, 0, seeded())


def test_bad_input_is_named(as_shipped):
    draws = torch.Generator()
    with pytest.raises(TypeError, match="snippets must be a list of texts, got one text: 'a=1'"):
        as_shipped(share_of_programs)("a=1")
    for function in (windows_of, drawn_by_frequency):
        with pytest.raises(TypeError, match="text must be bytes, .* got str"):
            as_shipped(function)("a\n" * 9, 1, draws)
        with pytest.raises(ValueError, match="n must be a whole number >= 1, got -1"):
            function(b"a\n" * 9, -1, draws)
