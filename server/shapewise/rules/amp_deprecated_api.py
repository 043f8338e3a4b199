"""torch.cuda.amp, which torch.amp has replaced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import insert_argument, replace
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .found import fix, found, name_for
from .tree import Tree
from .versions import at_least

RULE = "amp-deprecated-api"
_NEW = {
    "torch.cuda.amp.autocast": ("torch.autocast", "cuda"),
    "torch.cpu.amp.autocast": ("torch.autocast", "cpu"),
    "torch.cuda.amp.GradScaler": ("torch.amp.GradScaler", "cuda"),
    "torch.cpu.amp.GradScaler": ("torch.amp.GradScaler", "cpu"),
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of the old names, from torch 2.4 on."""
    if not at_least(log, 2, 4):
        return
    for event in tree.course.calls(*_NEW):
        node = event.node
        if not isinstance(node, ast.Call):
            continue
        path, device = _NEW[event.name]
        yield found(
            RULE,
            tree,
            node,
            f'{event.name}(...) is deprecated: it is {path}("{device}", ...) now, for every device.',
            *_fixes(tree, node, path, device),
        )


def _fixes(tree: Tree, node: ast.Call, path: str, device: str) -> tuple[Fix, ...]:
    name = name_for(tree, path)
    if name is None or (path == "torch.autocast" and node.args):
        return ()
    edits = (replace(tree.text, node.func, name), insert_argument(tree.text, node, f'"{device}"'))
    return (fix(f"use {name}", *edits, safe=True),)
