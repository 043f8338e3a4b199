"""Backward from what has no graph: it was computed under no_grad, or of nothing that requires grad."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source, unwrap
from ..program.modes import no_grad_around
from ..program.ops import Loss, is_loss, losses
from ..program.values import GIVEN, flows_into
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, name_for, refused_calls

RULE = "backward-without-graph"
_TORCH = "element 0 of tensors does not require grad and does not have a grad_fn"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses where the file runs; elsewhere a loss of torch's that was computed under no_grad."""
    for node, failure in refused_calls(log, tree, _TORCH):
        blocks = [one for one in tree.course.places.above(node) if isinstance(one, ast.With)]
        fixes = [one for block in blocks for one in _fixes(tree, block)] + [*_with_graph(tree, node)]
        yield found(RULE, tree, node, failure.message, *fixes, torch_error=failure.message)
    made = {id(event.value): event for event in tree.course.events if event.value is not None}
    plain = {id(loss.event.value): loss for loss in losses(tree.course)}
    for back in tree.training.backwards:
        event = made.get(id(back.loss))
        if event is None or back.event.passed_over or not is_loss(back.loss):
            continue
        switched = no_grad_around(event)
        if switched is None and (loss := plain.get(id(back.loss))) is not None:
            given = made.get(id(loss.input))
            if given is not None and given.name == "()" and _is_data(loss):
                switched = no_grad_around(given)
        if switched is None or any(
            not event.inside(branch) and "training" in ast.unparse(branch.test)
            for branch in back.event.branches_in(None)
            if branch.test is not None
        ):
            continue  # whether it differentiates is said by the mode that it is in
        yield found(
            RULE,
            tree,
            back.event.node,
            f"{_TORCH}: the loss is computed where gradients are switched off.",
            *_fixes(tree, switched),
            torch_error=_TORCH,
            related=[Related(tree.span(switched), "gradients are off in here")],
        )


def _with_graph(tree: Tree, backward: ast.AST) -> Iterator[Fix]:
    """What is differentiated without its `detach()`, or with the tensors of a list put together by `stack`."""
    stack = name_for(tree, "torch.stack")
    losses_here = [one.loss for one in tree.training.backwards if one.event.node is backward]
    for one in (part for loss in losses_here for part in flows_into(loss, 6)):
        call = one.node
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if one.by == ".detach":
            written = source(tree.text, call.func.value)
            yield fix(f"keep the graph: {written}", replace(tree.text, call, written))
        elif one.by in ("torch.tensor", "torch.Tensor") and len(call.args) == 1 and stack is not None:
            written = f"{stack}({source(tree.text, call.args[0])})"
            yield fix(f"keep the graph: {written}", replace(tree.text, call, written))


def _fixes(tree: Tree, block: ast.AST) -> tuple[Fix, ...]:
    """With gradients: the statements of the block without its header."""
    if not isinstance(block, ast.With) or len(block.items) != 1:
        return ()
    if not ast.unparse(block.items[0].context_expr).endswith(("no_grad()", "inference_mode()")):
        return ()
    edit = unwrap(tree.text, block)
    return () if edit is None else (fix("with gradients", edit),)


def _is_data(loss: Loss) -> bool:
    """Whether a target is an item of a batch, moved and cast at most: no way leads from it to a parameter."""
    target = loss.target
    if target is None:
        return False
    while (
        target.by in (".to", ".cuda", ".float", ".long", ".squeeze", ".view", ".flatten")
        and target.on is not None
    ):
        target = target.on
    if target.by == GIVEN:
        return loss.name in ("cross_entropy", "nll_loss")
    return target.by in ("for", "item") and target.on is not None and (target.on.by in ("for", GIVEN, "."))
