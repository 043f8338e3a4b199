"""A parameter, or another leaf that requires grad, written in place while gradients are recorded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import put_under
from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .found import fix, found, name_for
from .tree import Tree

RULE = "inplace-on-leaf"
_TORCH = "a leaf Variable that requires grad is being used in an in-place operation."
_NOT_WRITING = frozenset(
    "requires_grad_ retain_grad_ share_memory_ rename_ __setitem__ pin_memory_ detach_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every in-place op on a leaf, with gradients on."""
    for op in log.events:
        if not isinstance(op, Op) or not op.args or not op.modes.grad or op.modes.inference:
            continue
        if op.failure is not None and (op.failure.caught or not op.failure.message.startswith(_TORCH)):
            continue
        target, name = op.args[0], short(op.name)
        in_place = name in _AUGMENTED or (name.endswith("_") and not name.endswith("__"))
        if not in_place or name in _NOT_WRITING or not isinstance(target, Tensor):
            continue
        if target.leaf is not True or target.requires_grad is not True or "init" in op.name:
            continue
        node = tree.at(op.span, ast.Call) or tree.at(op.span, ast.AugAssign)
        if node is not None:
            yield found(
                RULE,
                tree,
                node,
                f"{_TORCH}\nWrite parameters under torch.no_grad().",
                *_fixes(tree, node),
                torch_error=_TORCH,
            )


_AUGMENTED = frozenset("+= -= *= /= //= **= %=".split())


def _fixes(tree: Tree, node: ast.AST) -> tuple[Fix, ...]:
    statement = tree.course.places.statement(node)
    torch = name_for(tree, "torch.no_grad")
    if statement is None or torch is None or not isinstance(statement, (ast.Expr, ast.AugAssign)):
        return ()
    if isinstance(statement, ast.Expr) and statement.value is not node:
        return ()
    edit = put_under(tree.text, statement, f"with {torch}():")
    return (fix("write it under no_grad", edit, safe=True),) if edit is not None else ()
