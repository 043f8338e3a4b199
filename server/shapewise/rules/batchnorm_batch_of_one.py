"""Batch norm over one value: there is no variance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..queries.lineage import lineage_of
from ..vocabulary.events import Log, Op
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import failures, fix, found

RULE = "batchnorm-batch-of-one"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses."""
    lineage = lineage_of(log)
    for op, failure in failures(log, "Expected more than 1 value per channel when training"):
        node = tree.at(op.span, ast.Call)
        if node is None:
            continue
        built = lineage.builder(failure.layer)
        here = built is not None and log.frames[built.frame].file == log.file
        yield found(
            RULE,
            tree,
            node,
            f"{failure.message}\nA batch of one has no variance to normalise with: leave a last, smaller batch "
            "out (drop_last=True), or evaluate in eval mode.",
            *_fixes(op, node, log, tree),
            torch_error=failure.message,
            related=[Related(built.span, "the layer")] if built is not None and here else (),
        )


def _fixes(op: Op, node: ast.Call, log: Log, tree: Tree) -> Iterator[Fix]:
    """The model in eval mode, where it is called from outside and nothing is trained."""
    if tree.training.backwards:
        return
    frame = log.frames[op.frame]
    while frame.parent is not None and frame.site is not None:
        call = tree.at(frame.site, ast.Call)
        frame = log.frames[frame.parent]
        if call is None or frame.file != log.file:
            return
        node = call
    statement = tree.course.places.statement(node)
    if isinstance(node.func, ast.Name) and node.func.id.islower() and statement is not None:
        yield fix(
            f"evaluate: {node.func.id}.eval()", insert_before(tree.text, statement, f"{node.func.id}.eval()")
        )
