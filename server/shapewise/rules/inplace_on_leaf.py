"""A parameter, or another leaf that requires grad, written in place while gradients are recorded."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from ..edits.statements import put_under
from ..program.modes import may_have_grad_off
from ..program.values import Value, constant
from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "inplace-on-leaf"
_TORCH = "a leaf Variable that requires grad is being used in an in-place operation."
_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
_Write = tuple[ast.AST, str]
"""What writes, and what torch says of it."""
_NOT_WRITING = frozenset(
    "requires_grad_ retain_grad_ share_memory_ rename_ __setitem__ pin_memory_ detach_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every in-place op on a leaf, with gradients on, where the file runs or surely would."""
    written = {id(node): (node, said) for node, said in (*_seen(log, tree), *_written(tree))}
    places = tree.course.places
    statements = {id(statement) for node, _ in written.values() if (statement := places.statement(node))}
    told: set[int] = set()
    for node, said in written.values():
        statement = places.statement(node)
        if statement is None or id(statement) in told:
            continue
        block = places.block(statement)
        at = block.index(statement)
        row = [*takewhile(lambda one: id(one) in statements, block[at:])]
        told |= {id(one) for one in row[1:]}
        message = f"{said}\nWrite parameters under torch.no_grad()."
        related = [Related(tree.span(one), "and here") for one in row[1:]]
        yield found(RULE, tree, node, message, *_fixes(tree, node, row), torch_error=said, related=related)


def _written(tree: Tree) -> Iterator[_Write]:
    """What no run reaches: parameters written in place by a constructor, or by a function that goes backward."""
    course = tree.course
    frozen = any(
        constant(one.argument("requires_grad", 0)) is False for one in course.calls(".requires_grad_")
    ) or any(one.name == "requires_grad" and constant(one.args[0]) is False for one in course.of_kind("set"))
    learning = {back.event.root for back in tree.training.backwards}
    for event in course.events:
        target, function = event.on, event.function
        writes = event.kind == "augmented" or (event.kind == "call" and event.name[1:] in _WRITES)
        if not writes or target is None or frozen or may_have_grad_off(event):
            continue
        made_here = function is not None and function.name == "__init__"
        if target.by == "torch.nn.Parameter":
            sure = made_here and not target.kwargs.keys() & {"requires_grad"} and len(target.args) < 2
        else:
            sure = _is_of_parameters(target) and event.root in learning
        if sure:
            yield event.node, _TORCH


_WRITES = frozenset("add_ sub_ mul_ div_ copy_ fill_ zero_ normal_ uniform_ clamp_ lerp_".split())


def _is_of_parameters(value: Value) -> bool:
    """Whether it is one of a module's parameters, as a loop goes over them."""
    if value.by == "item" and value.keys == (1,) and value.on is not None:
        value = value.on
        return value.by == "for" and value.on is not None and value.on.by == ".named_parameters"
    return value.by == "for" and value.on is not None and value.on.by == ".parameters"


def _seen(log: Log, tree: Tree) -> Iterator[_Write]:
    for op in log.events:
        if not isinstance(op, Op) or not op.args or not op.modes.grad or op.modes.inference:
            continue
        if op.failure is not None and (
            op.failure.caught or not op.failure.message.startswith((_TORCH, _VIEW))
        ):
            continue
        target, name = op.args[0], short(op.name)
        if op.failure is not None and op.failure.message.startswith(_VIEW) and name == "[]=":
            stored = tree.at(op.span, ast.Subscript) or tree.at(op.span, ast.Assign)
            if stored is not None:
                yield stored, _VIEW
            continue
        in_place = name in _AUGMENTED or (name.endswith("_") and not name.endswith("__"))
        if not in_place or name in _NOT_WRITING or not isinstance(target, Tensor):
            continue
        if target.leaf is not True or target.requires_grad is not True or "init" in op.name:
            continue
        node = tree.at(op.span, ast.Call) or tree.at(op.span, ast.AugAssign)
        if node is not None:
            yield node, _TORCH


_AUGMENTED = frozenset("+= -= *= /= //= **= %=".split())


def _fixes(tree: Tree, node: ast.AST, row: list[ast.stmt]) -> tuple[Fix, ...]:
    """The statement, and those in a `row` with it, written under no_grad."""
    torch = name_for(tree, "torch.no_grad")
    plain = all(isinstance(one, (ast.Expr, ast.AugAssign)) for one in row)
    if (
        torch is None
        or not plain
        or not row
        or (isinstance(row[0], ast.Expr) and not any(one is node for one in _chain(row[0])))
    ):
        return ()
    edit = put_under(tree.text, row, f"with {torch}():")
    if edit is None:
        return ()
    title = "write it under no_grad" if len(row) == 1 else f"write these {len(row)} under no_grad"
    return (fix(title, edit, safe=True),)


def _chain(statement: ast.Expr) -> Iterator[ast.expr]:
    """The call that a statement is, and those whose results it is a method of: `w.mul_(0.9)` of `w.mul_(0.9).add_(x)`."""
    node = statement.value
    while isinstance(node, ast.Call):
        yield node
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
