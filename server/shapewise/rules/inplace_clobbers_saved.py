"""A result that backward needs, changed in place before backward comes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.graphs import backward_through
from ..program.modes import may_have_grad_off
from ..program.ops import op_of
from ..program.values import EITHER, Value, roots
from ..queries.lineage import Lineage, lineage_of, short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.stale_graphs import CHANGED, stale
from .asking.tree import Tree
from .telling.found import failures, fix, found

RULE = "inplace-clobbers-saved"
_MADE_BY = re.compile(r"\[([\d, ]*)\]\], which is output \d+ of (\w+?)(?:Backward\d*)?,")
_NODES = {"+=": "add", "-=": "sub", "*=": "mul", "/=": "div"}
_PLAIN = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every write that makes a backward fail, at the write."""
    yield from _seen(log, tree)
    yield from _written(tree)


_SAVED = frozenset("exp sigmoid tanh sqrt softmax log_softmax relu".split())
_CHANGES = frozenset("mul_ div_ add_ sub_ clamp_ pow_ masked_fill_ fill_ zero_".split())


def _written(tree: Tree) -> Iterator[Finding]:
    """What no run reaches: in a forward, a result that its op saves, of what a layer with weights gave."""
    for event in tree.course.events:
        changed = event.on
        writes = event.kind == "augmented" or (event.kind == "call" and event.name[1:] in _CHANGES)
        if not writes or changed is None or changed.by == EITHER or not event.in_forward:
            continue
        op = op_of(changed)
        if op is None or op.name not in _SAVED or op.operand is None or may_have_grad_off(event):
            continue
        if not any(_has_weights(one.on) for one in backward_through(op.operand, 3) if one.by == "()"):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            f"this changes what backward needs, the result of {op.name}: {CHANGED}",
            *_fixes(tree, event.node),
            torch_error=CHANGED,
        )


def _has_weights(layer: Value | None) -> bool:
    """Whether what a layer gives requires grad for its weights."""
    found = roots(layer)
    return bool(found) and all(
        one.by.startswith("torch.nn.") and one.short().startswith(_WEIGHED) for one in found
    )


_WEIGHED = ("Linear", "Conv", "BatchNorm", "LayerNorm", "GroupNorm", "Embedding")


def _seen(log: Log, tree: Tree) -> Iterator[Finding]:
    """Where the file runs."""
    lineage = lineage_of(log)
    for op, failure in failures(log, CHANGED):
        if stale(log, lineage, op, failure.message) is not None:
            continue
        made_by = _MADE_BY.search(failure.message)
        culprit = _culprit(log, op, lineage, made_by.group(2).lower() if made_by else None)
        if culprit is None and made_by is not None:
            shape = tuple(int(size) for size in made_by.group(1).split(",") if size.strip())
            culprit = _last_write(log, op, made_by.group(2).lower(), shape)
        span = op.span if culprit is None else culprit.span
        node = tree.at(span, ast.AugAssign) or tree.at(span, ast.Call)
        if node is None:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"this changes what backward needs: {failure.message}",
            *_fixes(tree, node),
            torch_error=failure.message,
            related=[Related(op.span, "backward raises here")] if culprit is not None else (),
        )


def _culprit(log: Log, failed: Op, lineage: Lineage, made_by: str | None) -> Op | None:
    """The last write in place, before the failing backward, of a result that its op saved."""
    for op in reversed(log.events[: log.events.index(failed)]):
        if not isinstance(op, Op) or not op.args or not isinstance(op.args[0], Tensor):
            continue
        name = short(op.name)
        writes = name in _PLAIN or name == "[]=" or (name.endswith("_") and not name.endswith("__"))
        if not writes or not op.args[0].requires_grad:
            continue
        maker = lineage.maker(op.args[0])
        if made_by is None or (maker is not None and short(maker.name).strip("()_").lower() in made_by):
            return op
        if maker is not None and made_by.rstrip("0123456789") in short(maker.name).lower():
            return op
    return None


def _last_write(log: Log, failed: Op, name: str, shape: tuple[int, ...]) -> Op | None:
    """The last write by an op of that name to a tensor of that shape that had been computed with: of what
    another op saved as its input torch names the op that wrote last."""
    before = log.events[: log.events.index(failed)]
    for place in range(len(before) - 1, -1, -1):
        op = before[place]
        if not isinstance(op, Op) or _written_by(op) != name:
            continue
        target = op.args[0] if op.args else None
        if isinstance(target, Tensor) and target.shape == shape and target.requires_grad:
            if any(_reads(one, target) for one in before[:place]):
                return op
    return None


def _written_by(op: Op) -> str | None:
    """What torch calls the node of a write in place: `mul` of `mul_` and `*=`."""
    name = short(op.name)
    if name == "[]=":
        return "copyslices"
    if name in _NODES:
        return _NODES[name]
    return name.rstrip("_") if name.endswith("_") and not name.endswith("__") else None


def _reads(op: object, tensor: Tensor) -> bool:
    return (
        isinstance(op, Op)
        and _written_by(op) is None
        and any(isinstance(one, Tensor) and one.storage == tensor.storage for one in op.args)
    )


def _fixes(tree: Tree, node: ast.AST) -> tuple[Fix, ...]:
    if isinstance(node, ast.AugAssign):
        target, value = source(tree.text, node.target), source(tree.text, node.value)
        for kind, sign in ((ast.Add, "+"), (ast.Sub, "-"), (ast.Mult, "*"), (ast.Div, "/")):
            if isinstance(node.op, kind):
                shown = f"({value})" if isinstance(node.value, (ast.BinOp, ast.IfExp, ast.BoolOp)) else value
                text = f"{target} = {target} {sign} {shown}"
                return (fix("make a new tensor", replace(tree.text, node, text), safe=True),)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        statement = tree.course.places.statement(node)
        name = node.func.value
        if isinstance(statement, ast.Expr) and statement.value is node and isinstance(name, ast.Name):
            text = source(tree.text, node).replace(
                f".{node.func.attr}(", f".{node.func.attr.rstrip('_')}(", 1
            )
            return (
                fix("make a new tensor", replace(tree.text, statement, f"{name.id} = {text}"), safe=True),
            )
    return ()
