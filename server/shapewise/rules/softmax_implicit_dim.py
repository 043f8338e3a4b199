"""A softmax that is not told over which dim."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.names import last_name
from ..program.values import open_ended
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "softmax-implicit-dim"
_FUNCTIONS = tuple(f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin"))
_LAYERS = ("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every one without dim."""
    for event in tree.course.calls(*_FUNCTIONS, *_LAYERS):
        node = event.node
        position = 0 if event.name in _LAYERS else 1
        given = event.argument("dim", position)
        if not isinstance(node, ast.Call) or event.value is None or open_ended(event.value):
            continue
        if given is not None and given.const is not None:
            continue
        yield found(
            RULE,
            tree,
            node,
            "without dim torch takes dim 0 of a tensor of 1 or 3 dims and dim 1 of any other, and warns: of 3 dims that is "
            "rarely the one that is meant. Say which.",
            *_fixes(log, tree, node),
        )


def _fixes(log: Log, tree: Tree, node: ast.Call) -> tuple[Fix, ...]:
    span = tree.span(node)
    for op in log.events:
        if isinstance(op, Op) and op.span == span and op.args and isinstance(op.args[0], Tensor):
            rank = len(op.args[0].shape)
            dim = 0 if rank in (0, 1, 3) else 1
            return (
                Fix(f"say dim={dim}, as it is now", "safe", (add_keyword(tree.text, node, f"dim={dim}"),)),
            )
    if _is_behind_channels(tree, node):
        return (fix("over the channels", add_keyword(tree.text, node, "dim=1")),)
    return (fix("over the last dim", add_keyword(tree.text, node, "dim=-1")),)


def _is_behind_channels(tree: Tree, node: ast.Call) -> bool:
    """Whether the layer before it, among those that change a shape, is one whose channels are dim 1: `Conv2d`, `AvgPool2d`."""
    around = tree.course.places.parent(node)
    before = (
        around.args[: around.args.index(node)] if isinstance(around, ast.Call) and node in around.args else []
    )
    for layer in reversed(before):
        made = layer.func if isinstance(layer, ast.Call) else layer
        name = last_name(made)
        if name.endswith(("1d", "2d", "3d")):
            return True
        if name in ("Linear", "Flatten", "LazyLinear"):
            return False
    return False
