"""`zero_grad(set_to_none=False)`: fills with zeros where nothing at all would do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of

RULE = "set-to-none-false"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call."""
    for event in tree.course.calls(".zero_grad"):
        given = event.kwargs.get("set_to_none")
        if given is None or given.const is not False or not isinstance(event.node, ast.Call):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this writes zeros into every gradient, and backward then adds to them. The default, "
            "set_to_none=True, needs less memory traffic.",
            *(
                [fix("use the default", remove_keyword(tree.text, event.node, "set_to_none"))]
                if keyword_of(event.node, "set_to_none") is not None
                else []
            ),
        )
