"""`F.dropout(x)` in a module: it does not know of train and eval."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..program.events import Branch
from ..program.values import open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "functional-dropout-always-on"
_DROPOUTS = tuple(f"torch.nn.functional.dropout{kind}" for kind in ("", "1d", "2d", "3d"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every functional dropout in a method of a module that is not told the mode."""
    for event in tree.course.calls(*_DROPOUTS):
        function, node = event.function, event.node
        if not isinstance(node, ast.Call) or event.argument("training", 2) is not None:
            continue
        if function is None or function.cls is None or not function.cls.is_module:
            continue
        if event.value is None or open_ended(event.value) or _guarded(event.branches_in(None)):
            continue
        parameters = function.parameters()
        if not parameters or parameters[0].arg != "self":
            continue
        yield found(
            RULE,
            tree,
            node,
            "functional dropout is on unless it is told otherwise: model.eval() does not switch it off.",
            fix(
                "follow the module's mode", add_keyword(tree.text, node, "training=self.training"), safe=True
            ),
        )


def _guarded(branches: list[Branch]) -> bool:
    tests = [branch.test for branch in branches]
    return any(test is not None and "training" in ast.dump(test) for test in tests)
