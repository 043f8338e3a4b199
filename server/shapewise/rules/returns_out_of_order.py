"""Returns that are added up from the beginning of an episode, or are collected in the other order than its steps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "returns-out-of-order"
_REWARDS = re.compile(r"(^|_)(rewards?|rews?)(_|$)", re.IGNORECASE)
_DISCOUNT = re.compile(r"gamma|discount", re.IGNORECASE)
_TURNS = re.compile(r"reversed\(|\[::\s*-1\]|\.flip\(|\.reverse\(|flipud|fliplr|appendleft")


class _Sum(NamedTuple):
    """`name = reward + gamma * name`"""

    node: ast.Assign
    name: str


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loop over rewards that adds up discounted returns from the wrong end, or keeps them the wrong way round."""
    if "rew" not in tree.text:
        return
    for function in tree.course.places.nodes:
        if isinstance(function, (ast.FunctionDef, ast.Module)):
            for loop in _own(function):
                if isinstance(loop, ast.For):
                    yield from _judged(tree, function, loop)


def _own(function: ast.FunctionDef | ast.Module) -> Iterator[ast.AST]:
    """What is written in a function, and not in one within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _judged(tree: Tree, function: ast.FunctionDef | ast.Module, loop: ast.For) -> Iterator[Finding]:
    total = next((one for one in map(_sum, loop.body) if one is not None), None)
    kept = None if total is None else _kept(loop, total.name)
    over = ast.unparse(loop.iter)
    if total is None or kept is None or not (_REWARDS.search(_words(over)) or _reads_rewards(total)):
        return
    backwards, how = _backwards(loop), kept[0]
    elsewhere = ast.unparse(function).replace(over, "", 1)
    if backwards is None or _TURNS.search(elsewhere) or (not backwards and _REWARDS_TURNED.search(over)):
        return
    if (
        not backwards
        and _is_fresh(function, loop, total.name)
        and not _is_only_spread(function, loop, kept[1])
    ):
        said = (
            "the return of a step is its reward and what follows it, discounted. From the first step on this adds up what came "
            "before: go through the rewards from the end, reversed(rewards)."
        )
    elif (
        backwards
        and how == "append"
        and not isinstance(function, ast.Module)
        and _is_used(function, loop, kept[1])
        and not _others_too(loop, kept[1])
        and not _counts_down(function, loop)
    ):
        said = (
            "the rewards are gone through from the end, so that the returns come last one first: none stands beside its own step. "
            "Use insert(0, ...), or turn the list round."
        )
    else:
        return
    yield found(RULE, tree, kept[2], said, related=[Related(tree.span(loop), "the order of the steps")])


_REWARDS_TURNED = re.compile(r"\brev|_rev|revers|backward|newest", re.IGNORECASE)


def _words(text: str) -> str:
    return re.sub(r"[^A-Za-z_]+", " ", text).replace(" ", "_")


def _sum(node: ast.stmt) -> _Sum | None:
    """`R = r + gamma * R`, either way round; a factor more, such as `(1 - done)`, may follow."""
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return None
    value, name = node.value, node.targets[0].id
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    for side, other in ((value.left, value.right), (value.right, value.left)):
        factors = list(_factors(side))
        is_own = any(isinstance(one, ast.Name) and one.id == name for one in factors)
        if (
            is_own
            and any(_DISCOUNT.search(ast.unparse(one)) for one in factors)
            and not _mentions(other, name)
        ):
            if isinstance(other, (ast.Name, ast.Subscript, ast.Attribute)):
                return _Sum(node, name)
    return None


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _reads_rewards(total: _Sum) -> bool:
    """`R = rewards[t] + gamma * R`"""
    return any(
        isinstance(one, ast.Subscript) and _REWARDS.search(_words(ast.unparse(one.value)))
        for one in ast.walk(total.node.value)
    )


def _kept(loop: ast.For, name: str) -> tuple[str, str, ast.stmt] | None:
    """How each return is kept, in which list, and where: `returns.append(R)`, `returns.insert(0, R)`, `returns[t] = R`."""
    for node in loop.body:
        call = node.value if isinstance(node, ast.Expr) else None
        method = call.func if isinstance(call, ast.Call) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(method, ast.Attribute)
            and isinstance(method.value, ast.Name)
        ):
            if call.args and _mentions(call.args[-1], name):
                if method.attr == "append" and len(call.args) == 1:
                    return "append", method.value.id, node
                first = call.args[0]
                if method.attr == "insert" and isinstance(first, ast.Constant) and first.value == 0:
                    return "insert", method.value.id, node
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Name)
            and isinstance(node.value, ast.List)
        ):
            if len(node.value.elts) == 1 and _mentions(node.value, name):
                return "append", node.target.id, node
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            row = node.targets[0].value
            if isinstance(row, ast.Name) and isinstance(node.value, ast.Name) and node.value.id == name:
                return "index", row.id, node
    return None


def _backwards(loop: ast.For) -> bool | None:
    """Whether it goes from the end; None where nobody knows."""
    text = ast.unparse(loop.iter)
    if _TURNS.search(text) or re.search(r"range\(.*,\s*-1\)", text):
        return True
    plain = isinstance(loop.iter, (ast.Name, ast.Attribute)) or re.fullmatch(
        r"(enumerate|zip)\([\w., ]+\)|range\((0, )?len\([\w.]+\)\)|range\([\w.]+\)", text
    )
    return False if plain else None


def _is_fresh(function: ast.FunctionDef | ast.Module, loop: ast.For, name: str) -> bool:
    """Whether the sum begins with 0 before the loop: what is carried from call to call is another thing, a running scale."""
    for one in _own(function):
        if isinstance(one, ast.Assign) and one.lineno < loop.lineno:
            for target in one.targets:
                pairs = [(target, one.value)]
                if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                    pairs = list(zip(target.elts, one.value.elts))
                for left, right in pairs:
                    if isinstance(left, ast.Name) and left.id == name:
                        made = last_name(right.func) if isinstance(right, ast.Call) else ""
                        is_zero = isinstance(right, ast.Constant) and right.value == 0
                        return is_zero or made in ("zeros", "zeros_like", "new_zeros")
    return False


def _is_used(function: ast.FunctionDef, loop: ast.For, row: str) -> bool:
    """Whether the list is gone on with in the function as it is, item by item with others, and not just given back."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node, "lineno", 0) > (loop.end_lineno or 0):
            if last_name(node.func) in ("zip", "tensor", "FloatTensor", "as_tensor", "stack", "array", "cat"):
                if any(isinstance(arg, ast.Name) and arg.id == row for arg in node.args):
                    return True
    return False


def _others_too(loop: ast.For, row: str) -> bool:
    """Whether what stands beside the returns is collected in the same rounds, and so in the same order."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "append"
        and not (isinstance(node.value, ast.Name) and node.value.id == row)
        for node in ast.walk(loop)
    )


def _counts_down(function: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether something is read from its end afterwards: `returns[n - 1 - t]`."""
    return any(
        isinstance(node, ast.Subscript)
        and node.lineno > (loop.end_lineno or 0)
        and any(isinstance(one, (ast.Sub, ast.USub)) for one in ast.walk(node.slice))
        for node in ast.walk(function)
    )


def _is_only_spread(function: ast.FunctionDef | ast.Module, loop: ast.For, row: str) -> bool:
    """Whether only the spread of the list is asked for, to scale rewards by: its order does not matter."""
    reads = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == row and node.lineno > (loop.end_lineno or 0)
    ]
    spreads = {
        id(arg)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("std", "var")
        for arg in (*node.args, node.func.value)
    }
    return bool(reads) and all(id(one) in spreads for one in reads)
