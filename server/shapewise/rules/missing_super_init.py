"""A module whose `__init__` does not call that of nn.Module before it sets layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import insert_before
from ..program.training import is_module
from ..program.values import INSTANCE
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "missing-super-init"
_BEYOND = (
    "super(nn.Module, self).__init__",
    "super(torch.nn.Module, self).__init__",
    "super(Module, self).__init__",
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """The first layer or parameter that is set too early."""
    told: set[ast.AST] = set()
    registered = tree.course.calls(".register_buffer", ".register_parameter")
    for event in sorted((*tree.course.of_kind("set"), *registered), key=lambda event: event.index):
        owner, function = event.on, event.function
        if owner is None or owner.by != INSTANCE or owner.cls is None or function is None:
            continue
        cls = owner.cls
        if function.name != "__init__" or function.cls is not cls or not cls.is_module or cls.node in told:
            continue
        value = event.args[0] if event.args else None
        what = (
            event.name.removeprefix(".register_")
            if event.kind == "call"
            else "parameter"
            if value is not None and value.by == "torch.nn.Parameter"
            else "module"
            if is_module(value, surely=True)
            else ""
        )
        if not what or _has_init(function.node, event.node):
            continue
        if any("dataclass" in ast.unparse(decorator) for decorator in cls.node.decorator_list):
            continue
        told.add(cls.node)
        body = function.body()
        first = body[1] if len(body) > 1 and _is_docstring(body[0]) else body[0]
        fixes = []
        if not _has_init(function.node, None):
            fixes = [
                fix(
                    "call super().__init__() first",
                    insert_before(tree.text, first, "super().__init__()"),
                    safe=True,
                )
            ]
        error = (
            "cannot assign buffer before Module.__init__() call"
            if event.kind == "call" and what == "buffer"
            else "cannot assign parameter before Module.__init__() call"
            if event.kind == "call"
            else "cannot assign parameters before Module.__init__() call"
            if what == "parameter"
            else "cannot assign module before Module.__init__() call"
        )
        statement = tree.course.places.statement(event.node) or event.node
        named = next((one for one in body if _is_only_named(one)), None)
        if isinstance(named, ast.Expr):
            statement, fixes = named, [fix("call it", append(tree.text, named.value, "()"), safe=True)]
        yield found(
            RULE,
            tree,
            statement,
            f"{error}: there is nowhere yet to register a {what}. Call super().__init__() before.",
            *fixes,
            torch_error=error,
            related=[Related(tree.span(event.node), "set here")],
        )


def _has_init(function: ast.AST, before: ast.AST | None) -> bool:
    """Whether an `__init__` is called in a function, or in it before a node; that of what nn.Module inherits from is none."""
    place = (getattr(before, "lineno", 1 << 30), getattr(before, "col_offset", 0))
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("__init__", "_init", "__post_init__")
        and ast.unparse(node.func) not in _BEYOND
        and (node.lineno, node.col_offset) < place
        for node in ast.walk(function)
    )


def _is_only_named(statement: ast.stmt) -> bool:
    """Whether it says `super().__init__` and forgets to call it."""
    return isinstance(statement, ast.Expr) and ast.unparse(statement) == "super().__init__"


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
