"""A part of a tensor under a name of its own, written to, and the tensor itself used afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..program.values import same
from ..queries.lineage import lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.statements import shared_write
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "view-alias-write"
_VIEWS = frozenset(
    "[] view transpose permute squeeze unsqueeze flatten narrow select diagonal T mT t".split()
)
_TO_BE_FILLED = frozenset(
    "zeros empty ones full zeros_like empty_like ones_like full_like new_zeros new_empty new_ones new_full clone "
    "Parameter zero_ fill_ tril triu eye".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such write, unless the tensor was made to be filled."""
    lineage = lineage_of(log)
    told: set[ast.stmt] = set()
    for op in ops_of(log, _VIEWS):
        if not op.args:
            continue
        whole, part = op.args[0], op.result
        if not isinstance(whole, Tensor) or not isinstance(part, Tensor) or whole.storage != part.storage:
            continue
        node = tree.at(op.span, ast.expr)
        statement = None if node is None else tree.course.places.parent(node)
        if node is None or not isinstance(statement, ast.Assign) or statement in told:
            continue
        told.add(statement)
        names = _names(statement, node)
        maker = lineage.maker(whole)
        if names is None or whole.leaf and whole.requires_grad or maker is None:
            continue
        if short(maker.name) in _TO_BE_FILLED or maker.name == "[]":
            continue
        memory, view = names
        one = shared_write(tree, statement, view, memory) or _of_the_caller(tree, node)
        if one is not None:
            yield found(
                RULE,
                tree,
                one,
                f"{view} is a view of {memory}: this changes {memory} as well, which is used afterwards. Clone it where it is "
                "made if that is not meant.",
                fix("clone it", append(tree.text, node, ".clone()")),
                related=[Related(op.span, "a view since here")],
            )


def _of_the_caller(tree: Tree, node: ast.expr) -> ast.AST | None:
    """Where a function writes into a part of what it was given, gives it back, and the caller goes on with the whole."""
    for cut in tree.course.of_kind("index"):
        function, whole, part = cut.function, cut.on, cut.value
        if cut.node is not node or function is None or whole is None or part is None:
            continue
        base = node.value.id if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else ""
        if base not in {arg.arg for arg in function.parameters()}:
            continue
        uses = [use for use in tree.course.uses(part) if use.root == cut.root and use.index > cut.index]
        write = next((use for use in uses if use.kind == "store" and same(use.on, part)), None)
        if write is None or not any(use.kind == "return" and use.function is function for use in uses):
            continue
        for use in tree.course.uses(whole):
            if use.root == cut.root and use.index > write.index and use.function is not function:
                if use.kind in ("index", "op", "call") and not use.followed:
                    return write.node
    return None


def _names(statement: ast.Assign, node: ast.expr) -> tuple[str, str] | None:
    """Of `part = whole[:2]` and `part = whole.view(4)`: `whole` and `part`."""
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or statement.value is not node:
        return None
    inner = node.func if isinstance(node, ast.Call) else node
    base = inner.value if isinstance(inner, (ast.Attribute, ast.Subscript)) else None
    if not isinstance(base, ast.Name) or base.id == target.id:
        return None
    return base.id, target.id
