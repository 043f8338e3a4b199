"""A new value for a parameter, or for what an object keeps, that is bound to a name of its own, and lost."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.definitions import Class
from ..program.liveness import reads, sets
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .asking.written import written
from .telling.found import found

RULE = "update-lost"
_WEIGHTS = re.compile(r"\.(parameters|named_parameters|buffers|named_buffers|state_dict)\(")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loop variable over parameters that is set to what is computed of it, and each blend with what is kept that nobody reads."""
    if "torch" not in tree.text:
        return
    for loop in tree.course.nodes(ast.For):
        assert isinstance(loop, ast.For)
        yield from _rebound(tree, loop, of_gradients=not _WEIGHTS.search(ast.unparse(loop.iter)))
    yield from _cleared_after(tree)
    known: set[str] | None = None
    for cls in tree.course.classes:
        blends = list(_blends(cls))
        if blends:
            known = written(tree) if known is None else known
            for statement, local, kept in blends:
                if kept not in known and "*" not in known:
                    yield found(
                        RULE,
                        tree,
                        statement,
                        f"{local} is made of self.{kept} and is read by nothing, and nothing sets self.{kept}: it stays what it was. Write "
                        f"the new value into it (self.{kept}.copy_({local})).",
                    )


def _cleared_after(tree: Tree) -> Iterator[Finding]:
    """`w = w - lr * w.grad`, and right behind it `w.grad.zero_()`: the new tensor has no gradient to clear."""
    for one in tree.course.nodes(ast.Assign):
        assert isinstance(one, ast.Assign)
        name = one.targets[0].id if isinstance(one.targets[0], ast.Name) else ""
        if not name or not isinstance(one.value, ast.BinOp) or f"{name}.grad" not in ast.unparse(one.value):
            continue
        block = tree.course.places.block(one)
        for later in block[block.index(one) + 1 :]:
            if name in sets(later) or f"{name}.requires_grad_(" in ast.unparse(later):
                break
            call = later.value if isinstance(later, ast.Expr) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) == f"{name}.grad.zero_":
                yield found(
                    RULE,
                    tree,
                    call,
                    f"'NoneType' object has no attribute 'zero_': {name} is a new tensor since line {one.lineno}, and no leaf, so that it has no "
                    f"gradient. Change it in place, under torch.no_grad(): {name} -= ...",
                    related=[Related(tree.span(one), f"{name} is a new tensor here")],
                )
                break


def _rebound(tree: Tree, loop: ast.For, of_gradients: bool) -> Iterator[Finding]:
    """Statements of a loop that set its own variable, read by nothing after that: the parameter has not changed.

    Over what is not called parameters, only what is computed of its gradient.
    """
    targets = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    for at, statement in enumerate(loop.body):
        inner = [one for one in ast.walk(statement) if isinstance(one, ast.Assign)]
        for one in inner:
            target = one.targets[0] if len(one.targets) == 1 else None
            if (
                not isinstance(target, ast.Name)
                or target.id not in targets
                or not _is_new(one.value, target.id)
                or (of_gradients and f"{target.id}.grad" not in ast.unparse(one.value))
            ):
                continue
            later = [*loop.body[at + 1 :], *(other for other in inner if other.lineno > one.lineno)]
            if statement is not one and not isinstance(statement, ast.With | ast.If):
                continue
            after = [
                other
                for other in ast.walk(statement)
                if isinstance(other, ast.stmt) and other.lineno > one.lineno
            ]
            if any(target.id in reads(other) for other in (*later, *after)):
                continue
            yield found(
                RULE,
                tree,
                one,
                f"this binds {target.id} to a new tensor, and the next round to the next one: the parameter itself stays as it is. Change it "
                f"in place, under torch.no_grad() ({target.id}.copy_(...), {target.id}.mul_(...).add_(...), {target.id} -= ...).",
            )


def _is_new(value: ast.expr, name: str) -> bool:
    """Whether it is computed of what has this name: by an operator, or by `lerp`."""
    is_computed = isinstance(value, ast.BinOp) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "lerp"
    )
    return is_computed and name in reads(value)


def _blends(cls: Class) -> Iterator[tuple[ast.stmt, str, str]]:
    """Local names of methods that are bound to `m * self.kept + (1 - m) * new` and never read: the statement, the name, what is kept."""
    for method in cls.methods.values():
        if not isinstance(method.node, ast.FunctionDef):
            continue
        every = list(ast.walk(method.node))
        loaded = {one.id for one in every if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        for one in every:
            if not isinstance(one, ast.Assign) or len(one.targets) != 1:
                continue
            target = one.targets[0]
            if not isinstance(target, ast.Name) or target.id in loaded:
                continue
            kept = _kept(one.value)
            if kept is not None:
                yield one, target.id, kept


def _kept(value: ast.expr) -> str | None:
    """What an average goes on from: `x` of `m * self.x + (1 - m) * new`, of `self.x.lerp(new, 1 - m)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "lerp":
        return _own(value.func.value)
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    parts = [
        one
        for one in (value.left, value.right)
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)
    ]
    kept = [own for one in parts for factor in (one.left, one.right) if (own := _own(factor)) is not None]
    rates = [one for one in parts if any(isinstance(inner, ast.Sub) for inner in ast.walk(one))]
    tensors = [
        name for name in kept if not re.search(r"mom|decay|beta|alpha|tau|rate|weight|lam|gamma", name)
    ]
    return tensors[0] if len(parts) == 2 and rates and len(tensors) == 1 else None


def _own(node: ast.expr) -> str | None:
    is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else None
