"""Tell where the learner's own code went wrong, without a line of ours or of a library."""

import ast
import dis
import inspect
import linecache
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import CodeType
from typing import Any

from course_lib.checks.advice import advice
from course_lib.checks.coerce import class_name

_COURSE = Path(__file__).resolve().parents[1]
_LIBRARIES = [Path(sysconfig.get_path(n)).resolve() for n in ("stdlib", "purelib", "platlib")]
_LONGEST = 400


def report(error: BaseException, function: Any) -> str:
    """Place, source line, type and message of an exception that a learner's function raised."""
    where = place(error, function)
    lines = [where] if where else []
    told = f"{class_name(error)}: {message(error)}".rstrip(": ")
    lines += [told, advice(told)]
    return "\n".join(filter(None, lines))


def place(error: BaseException, function: Any) -> str:
    """Such as "In cell [7], line 3: `return x / d_k`"; empty when the function never started."""
    frame = _own_frame(error, function)
    if frame is None:
        return ""
    filename, line = frame[0].co_filename, frame[1]
    source = linecache.getline(filename, line).strip()
    return f"In {_readable(filename)}, line {line}" + (f": `{source}`" if source else "")


def started(error: BaseException, function: Any) -> bool:
    """False when the call itself failed, as with a wrong number of parameters."""
    return _own_frame(error, function) is not None


def is_placeholder(error: BaseException, function: Any) -> bool:
    """Whether this is the stub's own NotImplementedError, not one from inside torch."""
    if not isinstance(error, NotImplementedError):
        return False
    frame = _own_frame(error, function)
    if frame is None:
        return False
    source = linecache.getline(frame[0].co_filename, frame[1]).strip()
    return "NotImplementedError" in (source or frame[0].co_names)


def is_empty(function: Any) -> bool:
    """Whether the body does nothing, such as `pass`, `...` or `raise NotImplementedError`.

    It reads no input and no name, and keeps nothing; that holds for `return 1` and `1 / 0` too.
    """
    code = _code_of(function)
    return code is not None and _uses(code) <= {"NotImplementedError"}


def _uses(code: CodeType) -> set[Any]:
    """What the bytecode reads or sets, constants aside."""
    constants = ("LOAD_CONST", "LOAD_SMALL_INT")
    return {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname.startswith(("LOAD_", "STORE_")) and step.opname not in constants
    }


def same_code(one: Any, other: Any) -> bool:
    """Whether two functions are written alike; docstring, comments and annotations aside.

    The source is compared, not the bytecode: that depends on what else the same cell imports.
    """
    try:
        return _body(one) == _body(other)
    except (OSError, TypeError, ValueError, SyntaxError):  # no source, or none of a function
        return False


def _body(function: Any) -> str:
    tree = ast.parse(dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise ValueError("not a function definition")
    names = [argument.arg for argument in tree.args.args]
    has_docstring = ast.get_docstring(tree) is not None
    return f"{names}: " + "; ".join(ast.dump(line) for line in tree.body[has_docstring:])


def message(error: BaseException) -> str:
    """The exception's text, cut to a readable length; an exception may fail even at this."""
    try:
        text = str(error).strip()
    except Exception:  # its own __str__ may be the broken code
        return "(its message cannot be read)"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def _own_frame(error: BaseException, function: Any) -> tuple[CodeType, int] | None:
    """Code and line of the innermost frame that the learner wrote."""
    code = _code_of(function)
    own_file = code.co_filename if code else None
    own = [
        f
        for f in _frames(error)
        if f[0].co_filename == own_file or not _is_foreign(f[0].co_filename)
    ]
    return own[-1] if own else None


def _frames(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lineno
        traceback = traceback.tb_next


def _code_of(function: Any) -> CodeType | None:
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
    except ValueError:  # wrapped in itself
        return None
    return code if type(code) is CodeType else None


def _is_foreign(filename: str) -> bool:
    if filename.startswith("<"):
        # What libraries make at run time is foreign; a prompt or an exec() is the learner's.
        return not filename.startswith(("<string>", "<stdin>", "<ipython-input"))
    path = Path(filename).resolve()
    if {"site-packages", "dist-packages"} & set(path.parts):
        return True
    return any(path.is_relative_to(home) for home in [_COURSE, *_LIBRARIES])


def _readable(filename: str) -> str:
    """The notebook cell's number, or the file's name; never a path of this machine."""
    try:
        from IPython import get_ipython

        kind, name = get_ipython().compile.format_code_name(filename)
        return f"{kind.lower()} {name.removeprefix('In')}"
    except (AttributeError, ImportError, TypeError):
        return Path(filename).name
