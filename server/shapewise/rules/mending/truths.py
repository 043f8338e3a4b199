"""One truth, or one number, of a tensor of several elements: whether all of them are meant, or any, or their mean."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...vocabulary.findings import Fix

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def one_truth(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`(x > 0).all()`, `(x > 0).any()`; `(x > 0) & (x < 1)` for `x > 0 and x < 1`."""
    tree, text = refusal.tree, refusal.tree.text
    node = tree.at(refusal.op.span, ast.expr)
    if node is None or refusal.op.name != "bool":
        return
    around = tree.course.places.parent(node)
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
        node = node.args[0]  # of `bool(x)`
    if isinstance(around, ast.BoolOp):
        parts = [source(text, one) for one in around.values]
        sign = " & " if isinstance(around.op, ast.And) else " | "
        yield Fix(
            "each by itself", "unsafe", (replace(text, around, sign.join(f"({one})" for one in parts)),)
        )
    written = source(text, node)
    written = written if isinstance(node, _SIMPLE) else f"({written})"
    for name in ("all", "any"):
        yield Fix(f"of {name}: .{name}()", "unsafe", (replace(text, node, f"{written}.{name}()"),))


def one_number(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`losses.mean().item()`, `losses.sum().item()`"""
    call, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.tree.text
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "item":
        for name in ("mean", "sum"):
            new = f"{source(text, call.func.value)}.{name}()"
            yield Fix(f"of their {name}: .{name}()", "unsafe", (replace(text, call.func.value, new),))
