"""A tensor made on the CPU and copied to where it is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.text import text_map
from ..program.values import PATH, Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import found, text_of

RULE = "create-then-move"
_CONSTANT = frozenset("zeros ones empty full arange eye linspace".split())
"""Not `tensor`: of Python's numbers torch makes a tensor on the CPU and copies it, whatever `device` says."""
_RANDOM = frozenset("rand randn randint randperm".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every new tensor that is moved in the same breath."""
    for event in tree.course.calls(".to", ".cuda"):
        made, node = event.on, event.node
        if made is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        inner = node.func.value
        if not made.by.startswith("torch.") or made.by.count(".") != 1 or made.node is not inner:
            continue
        name = made.short()
        if name not in _CONSTANT | _RANDOM or not isinstance(inner, ast.Call) or "device" in made.kwargs:
            continue
        device = _device(tree, node, event.args[0] if event.args else None)
        if device is None or (event.args and event.args[0].by == PATH):
            continue
        places = text_map(tree.text)
        whole, part = places.span(node), places.span(inner)
        cut = Edit(Span(part.end_line, part.end_column, whole.end_line, whole.end_column), "")
        edits = (add_keyword(tree.text, inner, f"device={device}"), cut)
        safety = "safe" if name in _CONSTANT else "unsafe"
        title = "make it there" if safety == "safe" else "make it there (other random numbers)"
        yield found(
            RULE,
            tree,
            node,
            f"this makes the tensor on the CPU and copies it. torch.{name}(..., device=...) makes it where it is wanted.",
            Fix(title, safety, edits),
        )


def _device(tree: Tree, node: ast.Call, given: Value | None) -> str | None:
    """Where a tensor is moved to, as it is written; None if that may be a dtype, or another tensor."""
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "cuda":
        return '"cuda"' if not node.args and not node.keywords else None
    if len(node.args) != 1 or node.keywords:
        return None
    text = text_of(tree, node.args[0])
    named = "device" in text.lower() or text.strip("\"'").startswith(("cuda", "cpu", "mps"))
    return text if (named or _is_device(given)) and "dtype" not in text else None


def _is_device(given: Value | None) -> bool:
    """Whether it is surely a device, by what it was made of."""
    options = options_of(given) if given is not None else ()
    return bool(options) and all(
        one.by == "torch.device"
        or (isinstance(one.const, str) and one.const.partition(":")[0] in ("cuda", "cpu", "mps", "xpu"))
        for one in options
    )
