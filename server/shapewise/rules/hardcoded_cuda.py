"""A GPU taken for granted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import Entered, Event
from ..program.values import NOTHING, Value, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "hardcoded-cuda"
_DEVICE = re.compile(r"cuda|gpu|device", re.IGNORECASE)
_ASKS = ("torch.cuda.is_available", "torch.cuda.device_count", "torch.accelerator.is_available")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every .cuda() and .to("cuda") in a file that never asks whether there is a GPU, or that goes on without one; of a
    default the first use."""
    if "set_device" in tree.text or "LOCAL_RANK" in tree.text:
        return
    asks = [event.node for event in tree.course.calls(*_ASKS) if _decides(tree, event.node)]
    if asks and not all(_names_a_device(tree, node) for node in asks):
        return
    told: set[ast.AST] = set()
    for event in tree.course.calls(".cuda", ".to"):
        if event.name == ".cuda" and event.args:
            continue
        if _is_asked(tree, event.node):
            continue
        if asks and (event.branches_in(None) or _leaves_early(event)):
            continue  # it may be where a GPU was found only
        written = event.name == ".cuda" or (
            isinstance(event.node, ast.Call)
            and bool(event.node.args)
            and isinstance(event.node.args[0], ast.Constant)
            and str(constant(event.args[0])).startswith("cuda")
        )
        default = _default(tree, event.args[0]) if event.name == ".to" and event.args else None
        if default is not None and default not in told:
            told.add(default)
            written = True
        if written:
            yield found(
                RULE,
                tree,
                event.node,
                "this runs only where there is a GPU of NVIDIA's. Put the device into a variable and use .to(device).",
            )


def _is_asked(tree: Tree, node: ast.AST) -> bool:
    """Whether a condition around it is about the device: `if self.device == "cuda":`."""
    tests = [one.test for one in tree.course.places.above(node) if isinstance(one, (ast.If, ast.IfExp))]
    return any(_DEVICE.search(ast.unparse(test)) for test in tests)


def _names_a_device(tree: Tree, node: ast.AST) -> bool:
    """Whether the answer does nothing but choose a device: `"cuda" if torch.cuda.is_available() else "cpu"`."""
    parent = tree.course.places.parent(node)
    return (
        isinstance(parent, ast.IfExp)
        and parent.test is node
        and isinstance(parent.orelse, ast.Constant)
        and parent.orelse.value == "cpu"
    )


def _leaves_early(event: Event) -> bool:
    """Whether the function it is in, or one that calls it, may return, raise or exit before."""
    leaving = (ast.Return, ast.Raise, ast.Assert)
    return any(
        isinstance(node, leaving) and node.lineno < getattr(event.node, "lineno", 0)
        for one in event.where
        if isinstance(one, Entered)
        for node in ast.walk(one.function.node)
    )


def _default(tree: Tree, device: Value) -> ast.AST | None:
    """Where it is written, if it is what a parameter is unless somebody says so, and nobody in the file does: `device="cuda"`."""
    made = device.args[0] if device.by == "torch.device" and len(device.args) == 1 else device
    text = made.const if made.const is not NOTHING else constant(made.default)
    written = made.node if made.const is not NOTHING else made.default.node if made.default else None
    is_default = written is not None and isinstance(tree.course.places.parent(written), ast.arguments)
    return written if is_default and isinstance(text, str) and text.startswith("cuda") else None


def _decides(tree: Tree, node: ast.AST) -> bool:
    """Whether the answer decides about more than pinned memory or the seeds of cards."""
    places = tree.course.places
    parent = places.parent(node)
    if isinstance(parent, ast.keyword):
        return "pin" not in (parent.arg or "")
    if isinstance(parent, (ast.Assign, ast.AnnAssign)):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        return not all(isinstance(one, ast.Name) and "pin" in one.id for one in targets)
    if isinstance(parent, ast.If) and parent.test is node and not parent.orelse:
        return not all("seed" in ast.unparse(one) or "cudnn" in ast.unparse(one) for one in parent.body)
    return True
