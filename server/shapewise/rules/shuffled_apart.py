"""Inputs and targets that are shuffled by two permutations, so that none has its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import Event
from ..program.names import last_name
from ..program.values import Value as Made
from ..program.values import roots, same
from ..queries.lineage import Lineage, lineage_of, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found, found_at

RULE = "shuffled-apart"
_DRAWN = frozenset("randperm permutation".split())
_MEET = frozenset(
    "cross_entropy CrossEntropyLoss() nll_loss NLLLoss() mse_loss MSELoss() l1_loss L1Loss() smooth_l1_loss SmoothL1Loss() "
    "binary_cross_entropy BCELoss() binary_cross_entropy_with_logits BCEWithLogitsLoss() TensorDataset".split()
)
"""Ops whose operands belong together, item by item."""
_TOGETHER = (
    "utils.data.TensorDataset",
    *(f"nn.functional.{name}" for name in "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss".split()),
)
_PARTS = re.compile(r"(^|_)(train|trn|tr|test|tst|te|val|valid|dev)(_|$)", re.IGNORECASE)
_TARGETS = re.compile(
    r"^(ys?|labels?|targets?|goals?|answers?|classes)(_|\d|$)|_(ys?|labels?|targets?|goals?)$", re.IGNORECASE
)
_ROWS = re.compile(
    r"^(xs?|data|features?|inputs?|images?|table|samples|points|texts)(_|\d|$)|_(xs?|data|features?|inputs?|images?)$",
    re.IGNORECASE,
)
_SHUFFLES = ("numpy.random.shuffle", "random.shuffle")
_ANCESTORS = 2000


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loss, and each data set, of which one operand was shuffled by one permutation, and the other by another one only."""
    yield from _shuffled_alone(tree)
    yield from _shuffled_within(tree)
    yield from _permuted_apart(tree)
    yield from _of_other_parts(tree)
    drawn = {op.result.id: op for op in ops_of(log, _DRAWN) if isinstance(op.result, Tensor)}
    if len(drawn) < 2:
        return
    lineage = lineage_of(log)
    for op in ops_of(log, _MEET):
        pair = [arg for arg in op.args if isinstance(arg, Tensor)][:2]
        if len(pair) != 2:
            continue
        before = [_ancestors(lineage, one) for one in pair]
        orders = [drawn.keys() & ids for ids in before]
        if not orders[0] or not orders[1] or orders[0] & orders[1]:
            continue
        first, second = (max(found) for found in orders)
        if drawn[first].args[:1] != drawn[second].args[:1]:
            continue
        picks = [_pick(log, lineage, order, ids) for order, ids in zip((first, second), before)]
        if picks[0] is None or picks[1] is None:
            continue
        yield found_at(
            RULE,
            picks[1].span,
            "this is shuffled by another permutation than what it is held against: no item has its own target any more. Draw one "
            "permutation, and index both with it.",
            related=[Related(picks[0].span, "shuffled by the one"), Related(op.span, "they meet here")],
        )


def _shuffled_alone(tree: Tree) -> Iterator[Finding]:
    """`np.random.shuffle(X)`, where `X[i:j]` and `y[i:j]` are taken together after it, and y is never shuffled."""
    course = tree.course
    shuffled = [event for event in course.calls(*_SHUFFLES) if len(event.args) == 1]
    orders = {id(root) for event in shuffled for root in roots(event.args[0])}
    reads = course.of_kind("index") if shuffled else ()
    for event in shuffled:
        rows = event.args[0]
        for read in reads:
            if read.index < event.index or read.on is None or not same(read.on, rows):
                continue
            beside = next((one for one in reads if _is_beside(tree, read, one, orders)), None)
            if beside is None or beside.on is None or _is_made_after(tree, beside.on, event):
                continue
            yield found(
                RULE,
                tree,
                event.node,
                "this shuffles the one and leaves the other as it was, with which it is taken together: no item has its own target any "
                "more. Draw one permutation, and index both with it.",
                related=[Related(tree.span(beside.node), "taken together here")],
            )
            break


def _shuffled_within(tree: Tree) -> Iterator[Finding]:
    """`TensorDataset(X, y[torch.randperm(n)])`: an order that is drawn where it is used is no other's."""
    for event in tree.course.calls(*(f"torch.{path}" for path in _TOGETHER)):
        call = event.node
        given = call.args[:2] if isinstance(call, ast.Call) else []
        drawn = [one for one in given if _draws(one)]
        if len(given) == 2 and len(drawn) == 1:
            yield found(
                RULE,
                tree,
                drawn[0],
                "this is shuffled by a permutation that nothing else has, and is held against what is in another order: no item has its own "
                "target any more. Draw one permutation, and index both with it.",
            )


def _permuted_apart(tree: Tree) -> Iterator[Finding]:
    """`np.random.permutation(x), np.random.permutation(y)`, and the same in two lines that give both back their names."""
    for block in [
        tree.course.tree.body,
        *(one.body for one in tree.course.nodes(ast.FunctionDef) if isinstance(one, ast.FunctionDef)),
    ]:
        rows: ast.Call | None = None
        for statement in block:
            for call in _permutations(statement):
                name = last_name(call.args[0])
                if _TARGETS.match(name) and rows is not None and last_name(rows.args[0]) != name:
                    yield found(
                        RULE,
                        tree,
                        call,
                        "this is shuffled by another draw than what it belongs to: no item has its own target any more. Draw one permutation, and "
                        "index both with it.",
                        related=[Related(tree.span(rows), "shuffled by the one")],
                    )
                    rows = None
                elif _ROWS.match(name):
                    rows = call


def _permutations(statement: ast.stmt) -> Iterator[ast.Call]:
    """The shuffled copies of arrays that a statement gives back, or binds to the names that these had."""
    value = statement.value if isinstance(statement, (ast.Return, ast.Assign)) else None
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    names = [""] * len(values)
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        names = [last_name(one) for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
    for one, name in zip(values, names):
        if isinstance(one, ast.Call) and last_name(one.func) == "permutation" and len(one.args) == 1:
            if isinstance(one.args[0], ast.Name) and name in ("", one.args[0].id):
                yield one


def _of_other_parts(tree: Tree) -> Iterator[Finding]:
    """`cross_entropy(out[train_mask], y[test_mask])`, `pred[test_mask] == y[train_mask]`."""
    losses = [one.node for one in tree.course.calls(*(f"torch.{path}" for path in _TOGETHER))]
    pairs: list[tuple[ast.expr, list[ast.expr]]] = [
        (one, one.args[:2]) for one in losses if isinstance(one, ast.Call)
    ]
    pairs += [
        (one, [one.left, *one.comparators])
        for one in tree.course.nodes(ast.Compare)
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq) and len(one.ops) == 1
    ]
    for node, given in pairs:
        parts = [
            one.slice.id if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Name) else ""
            for one in given
        ]
        if len(parts) == 2 and all(parts) and {_part(one) for one in parts} == {"train", "test"}:
            yield found(
                RULE,
                tree,
                node,
                f"the one is taken by {parts[0]}, and what it is held against by {parts[1]}: none stands beside its own.",
            )


def _part(name: str) -> str:
    """Of which part an index is, by its name."""
    match = _PARTS.search(name)
    return "" if match is None else "train" if match[2].lower() in ("train", "tr", "trn") else "test"


def _draws(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Call)
        and last_name(node.slice.func) in _DRAWN
    )


def _is_beside(tree: Tree, read: Event, other: Event, orders: set[int]) -> bool:
    """Whether something else, that was not shuffled, is read by the same index in the same statement."""
    one, two = read.node, other.node
    return (
        other is not read
        and other.where == read.where
        and isinstance(one, ast.Subscript)
        and isinstance(two, ast.Subscript)
        and isinstance(two.value, ast.Name)
        and ast.dump(one.slice) == ast.dump(two.slice)
        and ast.dump(one.value) != ast.dump(two.value)
        and tree.course.places.statement(one) is tree.course.places.statement(two)
        and other.on is not None
        and bool(roots(other.on))
        and not any(id(root) in orders for root in roots(other.on))
    )


def _is_made_after(tree: Tree, value: Made, shuffle: Event) -> bool:
    """Whether something may have been computed of what was shuffled already."""
    makers = [
        event for event in tree.course.of_kind("call") if any(event.value is one for one in roots(value))
    ]
    if any(root.by != "given" for root in roots(value)) and not makers:
        return True
    return any(event.index > shuffle.index or event.root != shuffle.root for event in makers)


def _ancestors(lineage: Lineage, value: Value) -> set[int]:
    """The ids of all tensors that a tensor was computed from."""
    waiting, seen = [*tensors(value)], set[int]()
    while waiting and len(seen) < _ANCESTORS:
        one = waiting.pop()
        if one.id in seen:
            continue
        seen.add(one.id)
        maker = lineage.maker(one)
        if maker is not None:
            waiting += [inner for arg in maker.args for inner in tensors(arg)]
    return seen


def _pick(log: Log, lineage: Lineage, order: int, ids: set[int]) -> Op | None:
    """The indexing by a permutation, or by a part of it, that made one of these tensors."""
    for op in ops_of(log, ("[]", "index_select")):
        if isinstance(op.result, Tensor) and op.result.id in ids and len(op.args) > 1:
            index = op.args[-1]
            if (
                isinstance(index, Tensor)
                and lineage.comes_of(index, {order})
                and _is_other(lineage, op, order)
            ):
                return op
    return None


def _is_other(lineage: Lineage, op: Op, order: int) -> bool:
    """Whether something else is indexed than the permutation itself: `order[:80]` is a part of it."""
    given = op.args[0]
    return isinstance(given, Tensor) and not lineage.comes_of(given, {order})
