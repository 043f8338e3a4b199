"""Lists that are filled side by side, of which one is never read: the variable of the last round stands in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.liveness import sets
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "collected-list-unread"
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_JOINS = frozenset("cat concat concatenate stack vstack hstack".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each variable of a loop that is read after it beside lists of that loop, while nothing reads the list that has it of each round."""
    for loop in tree.course.nodes(*_LOOPS):
        lists = dict(_filled(loop))
        if len(lists) < 2:
            continue
        scope = tree.course.places.function(loop) or tree.course.tree
        appended = {id(call.func.value) for call in lists.values() if isinstance(call.func, ast.Attribute)}
        loaded = [
            one
            for one in ast.walk(scope)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in appended
        ]
        read = {one.id for one in loaded}
        made = _made(loop)
        joined = isinstance(scope, ast.FunctionDef) and any(
            one.id in lists and _is_joined(tree, one) and _comes_after(one, loop) for one in loaded
        )
        for name, call in lists.items():
            last = _held(call)
            if name in read or last not in made:
                continue
            for one in loaded:
                if (
                    one.id == last
                    and _comes_after(one, loop)
                    and (
                        _names_beside(tree, one) & lists.keys() & read
                        or (joined and _is_computed_with(tree, one))
                    )
                ):
                    yield found(
                        RULE,
                        tree,
                        one,
                        f"{last} is that of the last round; those of all are in {name}, which nothing reads.",
                        fix(f"take {name}", replace(tree.text, one, name)),
                        related=[Related(tree.span(call), "collected here")],
                    )
                    break


def _filled(loop: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The lists that each round appends to, by name."""
    for one in getattr(loop, "body", []):
        call = one.value if isinstance(one, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            if isinstance(call.func.value, ast.Name) and len(call.args) == 1:
                yield call.func.value.id, call


def _held(call: ast.Call) -> str:
    """The variable that is appended, by itself or as the one item of a list."""
    given = call.args[0]
    if isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
        given = given.elts[0]
    return given.id if isinstance(given, ast.Name) else ""


def _made(loop: ast.AST) -> frozenset[str]:
    """What each round sets anew."""
    target = sets(loop.target) if isinstance(loop, (ast.For, ast.AsyncFor)) else frozenset[str]()
    return target.union(
        *(sets(one) for one in ast.walk(loop) if isinstance(one, (ast.Assign, ast.AnnAssign)))
    )


def _comes_after(one: ast.Name, loop: ast.AST) -> bool:
    return isinstance(loop, ast.stmt) and one.lineno > (loop.end_lineno or loop.lineno)


def _is_joined(tree: Tree, one: ast.Name) -> bool:
    """Whether a list is put together to one tensor: `torch.cat(targets)`."""
    call = tree.course.places.parent(one)
    return isinstance(call, ast.Call) and one in call.args and last_name(call.func) in _JOINS


def _is_computed_with(tree: Tree, one: ast.Name) -> bool:
    """Whether it is what a method is called on: not only shown, or given back."""
    read = tree.course.places.parent(one)
    return isinstance(read, ast.Attribute) and isinstance(tree.course.places.parent(read), ast.Call)


def _names_beside(tree: Tree, one: ast.Name) -> set[str]:
    """The names in the statement in which one stands."""
    statement = tree.course.places.statement(one)
    return {each.id for each in ast.walk(statement or one) if isinstance(each, ast.Name)}
