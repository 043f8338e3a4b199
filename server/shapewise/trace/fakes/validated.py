"""What native code asserts of data is taken to hold: `if boxes.isnan().any(): raise ValueError(...)` in a package's own text.

Whoever runs the program gets past it, or there is nothing to be said of what comes after. Conditions of the user's
own code are never asked here: those take both ways.
"""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from ..outside import outside

_OURS = str(Path(__file__).resolve().parents[1])
_FAKES = str(Path(__file__).resolve().parent)
_OF_TORCH = ("/torch/overrides.py", "/torch/utils/_device.py")
"""Files that stand between a tensor that is asked whether it is true and what asks it."""


def as_asserted() -> bool | None:
    """What the condition that is just being asked comes to where nothing is wrong; None if it is no check, or one of the user's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and _stands_between(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith(_OURS):
        return None
    return _checks(frame.f_code.co_filename).get(frame.f_lineno)


def _stands_between(file: str) -> bool:
    return file.startswith(_FAKES) or file.endswith(_OF_TORCH)


@functools.lru_cache(maxsize=256)
def _checks(file: str) -> dict[int, bool]:
    """What the conditions of a file come to where nothing is wrong, by the lines that they stand on."""
    try:
        tree = ast.parse(outside(lambda: Path(file).read_text("utf-8")))
    except (OSError, ValueError, SyntaxError):
        return {}
    found: dict[int, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            test, holds = node.test, True
        elif isinstance(node, ast.If) and _refuses(node.body[-1]):
            test, holds = node.test, False
        else:
            continue
        answers = {*_leaves(test, holds)}
        if len(answers) == 1:
            found.update(dict.fromkeys(range(test.lineno, (test.end_lineno or test.lineno) + 1), *answers))
    return found


def _refuses(last: ast.stmt) -> bool:
    """Whether a block ends with an exception: raised, or by an assertion of what is false."""
    if isinstance(last, ast.Raise):
        return True
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and last.value.args):
        return False
    first = last.value.args[0]
    name = ast.unparse(last.value.func).rpartition(".")[2]
    return name.endswith("assert") and isinstance(first, ast.Constant) and first.value is False


def _leaves(test: ast.expr, wanted: bool) -> Iterator[bool]:
    """What each operand of a condition has to be so that it comes out as wanted."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _leaves(test.operand, not wanted)
    elif isinstance(test, ast.BoolOp):
        for operand in test.values:
            yield from _leaves(operand, wanted)
    else:
        yield wanted
