"""torch.cuda.amp, which torch.amp has replaced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import insert_argument
from ..edits.statements import replace
from ..program.events import Branch, Event, Within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .asking.versions import at_least, is_for_older
from .telling.found import fix, found, name_for

RULE = "amp-deprecated-api"
_NEW = {
    "torch.cuda.amp.autocast": ("torch.autocast", "cuda"),
    "torch.cpu.amp.autocast": ("torch.autocast", "cpu"),
    "torch.cuda.amp.GradScaler": ("torch.amp.GradScaler", "cuda"),
    "torch.cpu.amp.GradScaler": ("torch.amp.GradScaler", "cpu"),
}
_FUNCTIONS = {
    "torch.cuda.amp.custom_fwd": "torch.amp.custom_fwd",
    "torch.cuda.amp.custom_bwd": "torch.amp.custom_bwd",
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of the old names, from torch 2.4 on."""
    if not at_least(log, 2, 4):
        return
    for event in tree.course.calls(*_NEW):
        node = event.node
        if not isinstance(node, ast.Call) or _is_fallback(tree, event):
            continue
        path, device = _NEW[event.name]
        yield found(
            RULE,
            tree,
            node,
            f'{event.name}(...) is deprecated: it is {path}("{device}", ...) now, for every device.',
            *_fixes(tree, node, path, device),
        )
    told: set[ast.AST] = set()
    for event in tree.course.events:
        for one in event.where:
            old = one.value.path or one.value.by if isinstance(one, Within) else ""
            if old not in _FUNCTIONS or not isinstance(one, Within):
                continue
            for node in getattr(one.node, "decorator_list", ()):
                if ast.unparse(node).partition("(")[0].endswith(old.rsplit("_", 1)[-1]) and node not in told:
                    told.add(node)
                    message = f'{old} is deprecated: it is {_FUNCTIONS[old]}(device_type="cuda") now.'
                    yield found(RULE, tree, node, message)


def _is_fallback(tree: Tree, event: Event) -> bool:
    """Whether it is taken only where there is no new name: after an ImportError, or where the same call has it."""
    if any(isinstance(one, Branch) and isinstance(one.node, ast.ExceptHandler) for one in event.where):
        return True
    if is_for_older(tree, event.node):
        return True
    new = _NEW[event.name][0]
    return any(other.node is event.node for other in tree.course.calls(new))


def _fixes(tree: Tree, node: ast.Call, path: str, device: str) -> tuple[Fix, ...]:
    name = name_for(tree, path)
    if name is None or (path == "torch.autocast" and node.args):
        return ()
    edits = (replace(tree.text, node.func, name), insert_argument(tree.text, node, f'"{device}"'))
    return (fix(f"use {name}", *edits, safe=True),)
