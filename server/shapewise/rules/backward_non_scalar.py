"""Backward from more than one number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import insert_before_dot
from ..program.ops import Loss, losses
from ..program.values import Value, constant, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, refused_calls

RULE = "backward-non-scalar"
_TORCH = "grad can be implicitly created only for scalar outputs"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses where the file runs; elsewhere a loss of torch's that was asked not to reduce."""
    told: set[ast.AST] = set()
    for node, failure in refused_calls(log, tree, _TORCH):
        told.add(node)
        fixes = []
        if isinstance(node.func, ast.Attribute) and node.func.attr == "grad" and node.args:
            ones = f"grad_outputs=torch.ones_like({ast.unparse(node.args[0])})"
            fixes = [fix(f"the sum over all: {ones}", add_keyword(tree.text, node, ones))]
        elif isinstance(node.func, ast.Attribute):
            fixes = [
                fix("differentiate the mean: .mean()", insert_before_dot(tree.text, node.func, ".mean()"))
            ]
        yield found(
            RULE,
            tree,
            node,
            f"{failure.message}\nReduce it to one number (.mean(), .sum()), or say with which weights: "
            "backward(gradient=...).",
            *fixes,
            torch_error=failure.message,
        )
    plain = {id(loss.event.value): loss for loss in losses(tree.course)}
    reduced = {id(back.event.node) for back in tree.training.backwards if not _is_unreduced(back.loss, plain)}
    for back in tree.training.backwards:
        call = back.event.node
        weighted = {"gradient", "grad_tensors", "**"} & back.event.kwargs.keys() or (
            back.manager is None and len(back.event.args) > (back.event.name != ".backward")
        )
        if call in told or weighted or not isinstance(call, ast.Call) or id(call) in reduced:
            continue
        told.add(call)
        fixes = []
        if back.scaler is None and isinstance(call.func, ast.Attribute) and back.event.name == ".backward":
            if back.manager is None:
                mean = insert_before_dot(tree.text, call.func, ".mean()")
                fixes = [fix("differentiate the mean: .mean()", mean)]
        yield found(
            RULE,
            tree,
            call,
            f'{_TORCH}: with reduction="none" the loss is one number for each element.\nReduce it to one number '
            "(.mean(), .sum()), or say with which weights: backward(gradient=...).",
            *fixes,
            torch_error=_TORCH,
        )


def _is_unreduced(value: Value, plain: dict[int, Loss]) -> bool:
    """Whether it is surely a loss of each element of a batch, or such a one weighted."""
    for one in options_of(value):
        loss = plain.get(id(one))
        if loss is not None:
            if constant(loss.option("reduction")) != "none" or loss.input.by == "[]":
                return False
        elif one.by not in ("*", "/", "+", "-", "*=", "/=", "+=", "-=") or not any(
            _is_unreduced(arg, plain) for arg in one.args
        ):
            return False
    return True
