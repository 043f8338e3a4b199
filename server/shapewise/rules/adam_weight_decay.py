"""Adam with weight decay: scaled like a gradient, where AdamW would decay evenly."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.folding import usual_number
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "adam-weight-decay"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every Adam with a weight decay that is not decoupled."""
    for event in tree.course.calls("torch.optim.Adam"):
        decay = usual_number(event.argument("weight_decay", 4)) or _of_groups(event.argument("params", 0))
        node = event.node
        if not decay or "decoupled_weight_decay" in event.kwargs or not isinstance(node, ast.Call):
            continue
        fixes = []
        if isinstance(node.func, ast.Attribute):
            fixes = [fix("use AdamW", replace_attribute(tree.text, node.func, "AdamW"))]
        yield found(
            RULE,
            tree,
            node,
            "Adam adds the decay to the gradient and then divides by its size, so that weights with large gradients "
            "hardly decay. AdamW decays all alike.",
            *fixes,
        )


def _of_groups(params: Value | None) -> float | None:
    """The decay that one of the groups in a display asks for."""
    groups = params.args if params is not None and params.by in ("list", "tuple") else ()
    for group in groups:
        if group.by == "dict" and "weight_decay" in group.keys:
            if decay := usual_number(group.args[group.keys.index("weight_decay")]):
                return decay
    return None
