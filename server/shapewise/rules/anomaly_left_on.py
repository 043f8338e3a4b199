"""Anomaly detection switched on for the whole program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..edits.statements import remove_statement
from ..program.events import Event, Within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "anomaly-left-on"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional `set_detect_anomaly(True)`; as a block, every one around training."""
    places = tree.course.places
    for event in tree.course.calls("torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly"):
        statement = places.statement(event.node)
        if event.name == "torch.autograd.set_detect_anomaly":
            mode = event.argument("mode", 0)
            if mode is None or mode.const is not True:
                continue
        fixes = []
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            if not _around_training(tree, event, statement):
                continue
        elif (
            event.branches_in(None)
            or event.name == "torch.autograd.detect_anomaly"
            or not isinstance(statement, ast.Expr)
            or statement.value is not event.node
        ):
            continue
        else:
            alone = len(places.block(statement)) == 1
            fixes = [fix("remove it", remove_statement(tree.text, statement, alone))]
        yield found(RULE, tree, event.node, _MESSAGE, *fixes)
    for event in tree.course.calls(*_TRAINERS):
        asked = event.kwargs.get("detect_anomaly")
        if asked is not None and asked.const is True and isinstance(event.node, ast.Call):
            edit = (
                remove_keyword(tree.text, event.node, "detect_anomaly") if _is_written(event.node) else None
            )
            yield found(RULE, tree, event.node, _MESSAGE, *([fix("leave it out", edit)] if edit else []))


_MESSAGE = (
    "anomaly detection makes every backward several times slower. Switch it on while looking for a nan, "
    "around the code in question."
)
_TRAINERS = tuple(
    f"{module}.Trainer" for module in ("lightning", "pytorch_lightning", "lightning.pytorch", "pl")
)


def _is_written(call: ast.Call) -> bool:
    return any(one.arg == "detect_anomaly" for one in call.keywords)


def _around_training(tree: Tree, event: Event, block: ast.With | ast.AsyncWith) -> bool:
    """Whether each of many steps goes backward and steps in a block that nothing but the loop decides."""

    def in_block(one: Event) -> bool:
        return any(isinstance(context, Within) and context.node is block for context in one.where)

    training = tree.training
    steps = [step.event for step in training.steps if step.event.loops]
    backs = [back.event for back in training.backwards if in_block(back.event)]
    around = [loop for step in steps for loop in step.loops if any(back.inside(loop) for back in backs)]
    return bool(around) and not event.branches_in(None)
