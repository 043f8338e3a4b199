"""strict=False, and nobody looks at what did not fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.definitions import Function
from ..program.events import Event, exclusive
from ..program.values import constant, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "strict-false-ignored"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call as a statement of its own, but for the one of two that a caller chooses between."""
    loads = tree.course.calls(".load_state_dict")
    for event in loads:
        node = event.node
        if constant(event.argument("strict", 1)) is not False:
            continue
        if any(exclusive(one, event) and same(one.on, event.on) and _is_strict(one) for one in loads):
            continue
        if event.function is not None and _looks_itself(event.function):
            continue
        if isinstance(node, ast.Call) and isinstance(tree.course.places.parent(node), ast.Expr):
            yield found(
                RULE,
                tree,
                node,
                "with strict=False keys that do not fit are passed over in silence: with a prefix in the way nothing is "
                "loaded at all. Look at the missing and unexpected keys that it returns.",
                fix("print what did not fit", replace(tree.text, node, f"print({source(tree.text, node)})")),
            )


def _looks_itself(function: Function) -> bool:
    """Whether a function computes which keys are missing or unexpected."""
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and _ASKED.search(node.id)
        for node in ast.walk(function.node)
    )


_ASKED = re.compile("missing|unexpected|mismatch")


def _is_strict(load: Event) -> bool:
    return constant(load.argument("strict", 1)) is not False
