"""A write into what a list, a mask or an index tensor took out: that is a copy, and the write is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Group, Log, Tensor, Value
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "chained-advanced-index-write"
_SET = {
    "zero_": "= 0",
    "fill_": "= {}",
    "copy_": "= {}",
    "add_": "+= {}",
    "sub_": "-= {}",
    "mul_": "*= {}",
    "div_": "/= {}",
}
"""How methods in place are written as a write through the index."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every write whose target is taken out by an advanced index in the same expression."""
    yield from _seen(log, tree)
    yield from _written(tree)


def _written(tree: Tree) -> Iterator[Finding]:
    """What no run reaches: the index is a mask by its own text, and what is done to the copy only tensors have."""
    for node in tree.course.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _SET:
            continue
        copy = node.func.value
        if not isinstance(copy, ast.Subscript) or not _is_mask(copy.slice):
            continue
        if isinstance(tree.course.places.parent(node), ast.Expr):
            yield found(RULE, tree, node, _MESSAGE, *_assigned(tree, node, copy))
    for target in tree.course.nodes(ast.Subscript):
        assert isinstance(target, ast.Subscript)
        copy = target.value
        if not isinstance(target.ctx, ast.Store) or not isinstance(copy, ast.Subscript):
            continue
        index = copy.slice
        own = isinstance(index, ast.Compare) and ast.unparse(copy.value) in ast.unparse(index.left)
        if own or (_is_mask(index) and not isinstance(index, ast.Compare)):
            yield found(RULE, tree, target, _MESSAGE)


def _is_mask(index: ast.expr) -> bool:
    """Whether an index is a mask, and no number: a comparison, `.bool()`, or a name that says so."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return True
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute):
        return index.func.attr == "bool" and not index.args
    if isinstance(index, ast.Compare):
        return all(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)) for op in index.ops)
    return isinstance(index, ast.Name) and (index.id == "mask" or index.id.endswith("_mask"))


def _seen(log: Log, tree: Tree) -> Iterator[Finding]:
    lineage = lineage_of(log)
    for op in ops_of(log):
        if not op.args:
            continue
        taken = lineage.maker(op.args[0])
        if taken is None or taken.name != "[]" or len(taken.args) < 2 or not _advanced(taken.args[1]):
            continue
        copy = tree.at(taken.span, ast.Subscript)
        if copy is None or copy.value is None:
            continue
        if op.name == "[]=":
            target = next((node for node in _targets(tree, copy)), None)
            if target is not None:
                yield found(RULE, tree, target, _MESSAGE, *_merged(tree, target, copy, taken.args[1]))
        elif short(op.name).endswith("_") and not short(op.name).endswith("__"):
            call = tree.at(op.span, ast.Call)
            if call is not None and isinstance(call.func, ast.Attribute) and call.func.value is copy:
                if isinstance(tree.course.places.parent(call), ast.Expr):
                    yield found(RULE, tree, call, _MESSAGE, *_assigned(tree, call, copy))


_MESSAGE = (
    "indexing with a list, a mask or a tensor of numbers makes a copy: this writes into the copy, and the tensor "
    "stays as it was. Write through one index."
)


def _advanced(index: Value) -> bool:
    """Whether an index copies: numbers in a list or a tensor, a mask."""
    if isinstance(index, Group):
        return index.kind == "list" or any(_advanced(item) for item in index.items)
    return isinstance(index, Tensor) and (index.dtype in ("bool", "uint8") or len(index.shape) > 0)


def _targets(tree: Tree, copy: ast.Subscript) -> Iterator[ast.Subscript]:
    """The subscript around it that is written to."""
    outer = tree.course.places.parent(copy)
    if isinstance(outer, ast.Subscript) and outer.value is copy and isinstance(outer.ctx, ast.Store):
        yield outer


def _merged(tree: Tree, target: ast.Subscript, copy: ast.Subscript, index: Value) -> Iterator[Fix]:
    """`x[mask][:, 0]` is `x[mask, 0]`, `x[rows][0]` is `x[rows[0]]`."""
    first, second = copy.slice, target.slice
    whole, inner = source(tree.text, copy.value), source(tree.text, first)
    if isinstance(index, Tensor) and isinstance(second, ast.Tuple) and _everything(second.elts[0]):
        rest = ", ".join(source(tree.text, one) for one in second.elts[1:])
        yield fix("write through one index", replace(tree.text, target, f"{whole}[{inner}, {rest}]"))
    elif isinstance(index, Tensor) and index.dtype == "int64" and len(index.shape) == 1:
        if isinstance(first, ast.Name) and isinstance(second, (ast.Constant, ast.Name)):
            number = source(tree.text, second)
            yield fix("write through one index", replace(tree.text, target, f"{whole}[{inner}[{number}]]"))


def _everything(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def _assigned(tree: Tree, call: ast.Call, copy: ast.Subscript) -> Iterator[Fix]:
    """`x[mask].fill_(v)` is `x[mask] = v`."""
    assert isinstance(call.func, ast.Attribute)
    form = _SET.get(call.func.attr)
    if form is not None and not call.keywords and len(call.args) == form.count("{}"):
        given = [source(tree.text, one) for one in call.args]
        written = f"{source(tree.text, copy)} {form.format(*given)}"
        yield fix("write through the index", replace(tree.text, call, written))
