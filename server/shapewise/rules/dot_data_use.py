"""`.data`: a write behind autograd's back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import put_under, replace, source
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "dot-data-use"
_WRITES = frozenset("add_ sub_ mul_ div_ clamp_ addcmul_ addcdiv_ lerp_".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every computation in place on `.data`; filling it, as initialisation does, is left alone."""
    for node in tree.course.nodes(ast.Call, ast.AugAssign):
        data = _written(node)
        if isinstance(data, ast.Attribute) and data.attr == "data":
            owner = data.value
            if isinstance(owner, ast.Attribute) and owner.attr == "grad":
                continue
            if isinstance(owner, ast.Name) and owner.id == "self":
                continue  # an attribute that a class calls so, as data sets do
            yield found(
                RULE,
                tree,
                node,
                "a write through .data is not seen by autograd: a backward that had saved these numbers goes "
                "wrong in silence. Under torch.no_grad() the same write is checked.",
                *_fixes(tree, data),
            )


def _written(node: ast.AST) -> ast.expr | None:
    """What a call or an operator changes in place, by what was there before."""
    if isinstance(node, ast.AugAssign):
        return node.target
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute):
        return None
    changes = function.attr in _WRITES or (function.attr == "copy_" and _is_computed(node))
    return function.value if changes else None


def _is_computed(call: ast.Call) -> bool:
    """Whether what is copied is an average or the like, and not what something is begun with."""
    return bool(call.args) and isinstance(call.args[0], ast.BinOp)


def _fixes(tree: Tree, data: ast.Attribute) -> list[Fix]:
    places, no_grad = tree.course.places, name_for(tree, "torch.no_grad")
    statement = places.statement(data)
    if not isinstance(statement, (ast.Expr, ast.AugAssign)) or no_grad is None:
        return []
    written, owner = source(tree.text, data), source(tree.text, data.value)
    if any(_switches_off(node) for node in places.above(data)):
        return [fix("leave .data out", replace(tree.text, data, owner))]
    body = source(tree.text, statement)
    if body.count(written) != 1:
        return []
    edit = put_under(tree.text, [statement], f"with {no_grad}():", body.replace(written, owner))
    return [fix("write it under no_grad", edit)] if edit is not None else []


def _switches_off(node: ast.AST) -> bool:
    """Whether it is a block or a function without gradients."""
    around = [item.context_expr for item in node.items] if isinstance(node, ast.With) else []
    around += node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(ast.unparse(one).endswith(("no_grad()", "inference_mode()")) for one in around)
