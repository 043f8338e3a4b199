"""A hook that stores what passes by with its graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..program.names import last_name
from ..program.values import function_of, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hook-retains-graph"
_DIFFERENTIATED = re.compile(r"autograd\.grad\b|retain_grad\(|backward_hook\(")
"""What a file says that goes backward to what its hooks have kept."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every forward hook of the file that stores its output as it is."""
    if _DIFFERENTIATED.search(tree.text):
        return
    places = tree.course.places
    told = set()
    for event in tree.course.calls(".register_forward_hook"):
        for hook in options_of(event.args[0]) if event.args else ():
            function = function_of(hook)
            node = function.node if function is not None else None
            if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
                continue
            around = event.function.node if event.function is not None else None
            if around is not None and _is_without_grad(around):
                continue
            given = node.args.args[: len(node.args.args) - len(node.args.defaults)]
            names = {arg.arg for arg in given[-1:]}
            node, names = _handed_on(tree, node, names) or (node, names)
            for inner in ast.walk(node):
                stored = next(
                    (one for one in _stored(inner) if isinstance(one, ast.Name) and one.id in names), None
                )
                if isinstance(stored, ast.Name) and stored not in told and not _is_let_go(tree, inner):
                    if _is_given_out(inner, node, around):
                        continue
                    told.add(stored)
                    statement = places.statement(stored)
                    yield found(
                        RULE,
                        tree,
                        statement or stored,
                        "the output is kept with the graph that made it, and with it all that the forward pass had "
                        "saved. Keep output.detach().",
                        fix("keep it without its graph", append(tree.text, stored, ".detach()")),
                        related=[Related(tree.span(event.node), "registered here")],
                    )


def _handed_on(
    tree: Tree, hook: ast.FunctionDef | ast.Lambda, names: set[str]
) -> tuple[ast.FunctionDef, set[str]] | None:
    """The function of the file that a lambda does nothing but hand the output to, and what that calls it."""
    call = hook.body if isinstance(hook, ast.Lambda) else None
    event = next((one for one in tree.course.calls("def") if one.node is call), None)
    made = event.on if event is not None else None
    if not isinstance(call, ast.Call) or made is None or made.function is None:
        return None
    given = made.function.parameters()[made.bound is not None :]
    called = {to.arg for arg, to in zip(call.args, given) if isinstance(arg, ast.Name) and arg.id in names}
    inner = made.function.node
    return (inner, called) if called and isinstance(inner, ast.FunctionDef) else None


def _is_without_grad(function: ast.AST) -> bool:
    """Whether a function switches gradients off where it calls the model."""
    return any(
        isinstance(node, ast.With)
        and any(
            ast.unparse(one.context_expr).endswith(("no_grad()", "inference_mode()")) for one in node.items
        )
        for node in ast.walk(function)
    )


def _is_given_out(storing: ast.AST, hook: ast.AST, around: ast.AST | None) -> bool:
    """Whether what it is put into is what the hook gives back, or what a function does that removes its hooks again:
    somebody asked for it.
    """
    kept = _kept_in(storing)
    givers = [hook]
    if around is not None and ".remove()" in ast.unparse(around):
        givers.append(around)
    return kept is not None and any(
        isinstance(node, ast.Return)
        and node.value is not None
        and ast.unparse(kept) in map(ast.unparse, _parts(node.value))
        for function in givers
        for node in ast.walk(function)
    )


def _parts(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _is_let_go(tree: Tree, storing: ast.AST) -> bool:
    """Whether what it is put into is deleted or emptied somewhere, so that whoever reads it may want the graph until then."""
    name = last_name(_kept_in(storing))
    return bool(name) and any(
        isinstance(one, ast.Attribute) and one.attr == name
        for node in tree.course.nodes(ast.Delete, ast.Call, ast.Assign)
        for one in _emptied(tree, node)
    )


def _emptied(tree: Tree, node: ast.AST) -> list[ast.expr]:
    """What a statement deletes or leaves empty; a constructor only begins it."""
    if isinstance(node, ast.Delete):
        return node.targets
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clear":
        return [node.func.value]
    if isinstance(node, ast.Assign) and ast.unparse(node.value) in ("[]", "{}", "list()", "dict()", "None"):
        around = tree.course.places.function(node)
        return node.targets if getattr(around, "name", "__init__") != "__init__" else []
    return []


def _kept_in(storing: ast.AST) -> ast.AST | None:
    """The container, or the attribute."""
    if isinstance(storing, ast.Assign):
        target = storing.targets[0]
        return target.value if isinstance(target, ast.Subscript) else target
    if isinstance(storing, ast.Call) and isinstance(storing.func, ast.Attribute):
        return storing.func.value
    return None


def _stored(node: ast.AST) -> list[ast.expr]:
    """What a statement puts into a container or an attribute."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Subscript, ast.Attribute)):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("append", "__setitem__", "setdefault"):
            return node.args[-1:]
        if node.func.attr == "update":
            return [keyword.value for keyword in node.keywords if keyword.arg]
    return []
