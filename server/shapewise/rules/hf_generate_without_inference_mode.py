"""Text generated outside inference_mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import put_under
from ..program.modes import may_have_grad_off
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.hugging import is_pretrained
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "hf-generate-without-inference-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every generate of a model of transformers' with nothing around it that decides about gradients."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(".generate"):
        if event.node in told or not is_pretrained(event.on, "AutoModel") or may_have_grad_off(event):
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "generate() switches gradients off by itself; within torch.inference_mode() torch also leaves out version "
            "counters and view tracking, in every layer for every token.",
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, node: ast.AST | None) -> list[Fix]:
    mode = name_for(tree, "torch.inference_mode")
    statement = tree.course.places.statement(node) if node is not None else None
    if mode is None or not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
        return []
    edit = put_under(tree.text, [statement], f"with {mode}():")
    return [fix("use inference_mode", edit)] if edit is not None else []
