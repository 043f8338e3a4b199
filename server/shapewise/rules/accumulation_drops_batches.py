"""Losses divided as those of several batches are, of which only the last one's gradient is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, remove_statement, source
from ..program.events import Branch, Event
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "accumulation-drops-batches"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each backward that is asked for every few rounds, of a loss that was divided by so many in each of them."""
    training = tree.training
    for back in training.backwards if not training.managed else ():
        loop = back.event.loops[-1] if back.event.loops else None
        if loop is None:
            continue
        for branch in back.event.branches_in(loop):
            if any(one.event.inside(loop) and not one.event.inside(branch) for one in training.backwards):
                break
            stepped = any(one.event.inside(branch) for one in training.steps)
            parts = _parts(tree, branch)
            if stepped and parts and all(_is_share(tree, one, parts) for one in options_of(back.loss)):
                yield found(
                    RULE,
                    tree,
                    back.event.node,
                    "the loss of every batch is divided as one of several, and only every few rounds is there a backward: of the batches "
                    "between nothing is learned. Go backward in each round, and step every few.",
                    *_fixes(tree, back.event, branch),
                    related=[Related(tree.span(branch.node), "asked for every few rounds")],
                )
                break


def _parts(tree: Tree, branch: Branch) -> set[str]:
    """The numbers, as they are written, of whose multiples a condition is true."""
    if branch.arm != 0 or branch.test is None:
        return set()
    return {
        text_of(tree, one.right)
        for one in ast.walk(branch.test)
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)
    }


def _is_share(tree: Tree, loss: Value, parts: set[str]) -> bool:
    """Whether a loss is one batch's, divided by one of those numbers."""
    node = loss.node
    if loss.by not in ("/", "/=") or any(one.by in ("+", "+=") for one in loss.args[:1]):
        return False
    by = (
        node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
    )
    return by is not None and text_of(tree, by) in parts


def _fixes(tree: Tree, back: Event, branch: Branch) -> list[Fix]:
    """The backward before the condition."""
    statement = tree.course.places.parent(back.node)
    test = branch.node
    if not isinstance(test, ast.If) or not isinstance(statement, ast.Expr) or statement not in test.body:
        return []
    edits = (
        insert_before(tree.text, test, source(tree.text, statement)),
        remove_statement(tree.text, statement, alone=len(test.body) == 1),
    )
    return [fix("go backward in each round", *edits)]
