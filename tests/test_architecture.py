"""The layer table: who may import whom.  Read off the source, so nothing has to be imported."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "course_lib"

LAYERS = {
    "config": 0, "packaged": 0, "whole_file": 0,
    "mechanisms": 1, "tokenizers": 1, "optim": 1,
    "data": 2, "models": 2,
    "training": 3,
    "experiments": 4,
    "plots": 5,
    "widgets": 6, "checks": 6, "lesson": 6,
    **dict.fromkeys(("bench", "doctor", "door", "__main__"), 7),
    "__init__": 0,
}  # fmt: skip
OUTSIDE = {
    "config": {"torch"},
    "packaged": set(),
    "whole_file": set(),
    "mechanisms": {"torch", "jaxtyping"},
    "tokenizers": {"torch", "jaxtyping", "regex"},
    "optim": {"torch", "jaxtyping"},
    "data": {"torch", "jaxtyping", "safetensors"},
    "models": {"torch", "jaxtyping", "safetensors"},
    "training": {"torch", "jaxtyping", "safetensors"},
    "experiments": {"torch", "jaxtyping"},
    "plots": {"numpy", "matplotlib", "PIL"},
    # torch, because a widget that calls a mechanism must hand it a tensor.
    "widgets": {
        "torch",
        "numpy",
        "matplotlib",
        "PIL",
        "ipywidgets",
        "anywidget",
        "IPython",
        "traitlets",
    },
    "checks": {"torch", "numpy", "IPython"},
    "lesson": {"torch", "IPython"},
    "notebooks": {"torch", "math"},
}
# Layer 5 draws plain arrays and knows no model; checks never draw.
ONLY_THESE = {"plots": {"plots"}}
NEVER = {"checks": {"plots"}}
ANYTHING_INSIDE_FUNCTIONS = {"bench", "doctor", "door", "__main__"}


def _room(path: Path) -> str:
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def _imports(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _top_level(tree: ast.Module) -> set[str]:
    outside_functions = [n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return _imports(ast.Module(outside_functions, []))


def faults(room: str, source: str) -> list[str]:
    """List what a file of `room` imports and may not."""
    tree = ast.parse(source)
    found = []
    for name in sorted(_imports(tree)):
        first, *rest = name.split(".")
        if first == "course_lib":
            target = rest[0]
            allowed = target == room or LAYERS.get(target, 99) < LAYERS.get(room, 8)
            allowed |= LAYERS.get(room, 8) == 7  # the top may use everything, each other too
            allowed &= target in ONLY_THESE.get(room, {target})
            allowed &= target not in NEVER.get(room, set())
        elif first in sys.stdlib_module_names:
            allowed = True
        elif room in ANYTHING_INSIDE_FUNCTIONS:
            allowed = name not in _top_level(tree) or first == "torch" and room == "bench"
        else:
            allowed = first in OUTSIDE[room]
        if not allowed:
            found.append(name)
    return found


def _files() -> list[Path]:
    return sorted(p for p in LIBRARY.rglob("*.py") if "jupyter" not in p.parts)


@pytest.mark.parametrize("path", _files(), ids=lambda p: p.relative_to(LIBRARY).as_posix())
def test_files_import_from_lower_layers_only(path):
    assert faults(_room(path), path.read_text(encoding="utf8")) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks" / "text").glob("*.py")), ids=lambda p: p.stem
)
def test_lessons_import_the_course_alone(path):
    assert faults("notebooks", path.read_text(encoding="utf8")) == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("mechanisms", "import matplotlib.pyplot"),
        ("mechanisms", "from course_lib.models.gpt import GPT"),
        ("data", "from course_lib.models.gpt import GPT"),
        ("plots", "import torch"),
        ("plots", "from course_lib.config import GPTConfig"),
        ("widgets", "from course_lib.checks.claim import claim"),
        ("door", "import torch"),
        ("notebooks", "import numpy"),
    ],
)
def test_the_rule_catches_what_it_should(room, line):
    assert faults(room, line) != []


def test_the_package_itself_imports_nothing():
    assert _imports(ast.parse((LIBRARY / "__init__.py").read_text(encoding="utf8"))) == set()


def test_the_mechanisms_form_no_circle():
    edges = {}
    for path in (LIBRARY / "mechanisms").glob("*.py"):
        names = _imports(ast.parse(path.read_text(encoding="utf8")))
        edges[path.stem] = {
            n.split(".")[2] for n in names if n.startswith("course_lib.mechanisms.")
        }
    done = set()
    while ready := {name for name, needs in edges.items() if name not in done and needs <= done}:
        done |= ready
    assert done == set(edges)
