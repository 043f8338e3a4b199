"""A number that torch refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.events import Event
from ..program.folding import usual, usual_number
from ..program.training import is_optimizer
from ..program.values import constant, open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "invalid-hyperparameter"
_REFUSED = re.compile(
    r"Invalid (learning rate|momentum|weight_decay|dampening|epsilon|alpha|rho|lambd|lr_decay|beta)|"
    r"Nesterov momentum requires|dropout probability has to be between"
)
"""How the constructors of torch.optim and the dropout layers say it."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer and dropout with one."""
    told: set[ast.AST] = set()
    for event in tree.course.of_kind("call"):
        if event.value is None:
            continue
        error = None
        if event.name.startswith("torch.optim.") and is_optimizer(event.value):
            error = _optimizer(event)
        elif event.name.startswith(
            ("torch.nn.Dropout", "torch.nn.AlphaDropout", "torch.nn.functional.dropout")
        ):
            error = _dropout(event)
        if error is not None:
            told.add(event.node)
            yield found(RULE, tree, event.node, error, *_fixes(tree, event), torch_error=error)
    for refusal in refusals(log, tree, _REFUSED):  # numbers that only the trace knows, from a config, say
        if tree.at(refusal.op.span, ast.Call) not in told:
            yield refusal.finding(RULE)


def _fixes(tree: Tree, event: Event) -> Iterator[Fix]:
    """The usual number for a beta that is written there."""
    betas = event.argument("betas", 2)
    for one, usually in zip(betas.args if betas is not None else (), ("0.9", "0.999")):
        beta = usual_number(one)
        if beta is not None and not 0 <= beta < 1 and isinstance(one.node, ast.Constant):
            yield fix(f"{usually}, as is usual", replace(tree.text, one.node, usually))


def _optimizer(event: Event) -> str | None:
    assert event.value is not None
    params = event.argument("params", 0)
    for group in params.args if params is not None and params.by in ("list", "tuple") else ():
        rate = usual_number(group.args[group.keys.index("lr")]) if "lr" in group.keys else None
        if rate is not None and rate < 0:
            return f"Invalid learning rate: {rate}"
    name = event.value.short()
    lr = usual_number(event.argument("lr", 1))
    if lr is not None and lr < 0:
        return f"Invalid learning rate: {lr}"
    if name == "SGD":
        momentum = usual_number(event.argument("momentum", 2))
        if momentum is not None and momentum < 0:
            return f"Invalid momentum value: {momentum}"
        decay = usual_number(event.argument("weight_decay", 4))
        if decay is not None and decay < 0:
            return f"Invalid weight_decay value: {decay}"
        if constant(usual(event.argument("nesterov", 5))) is True and not open_ended(event.value):
            given = event.argument("momentum", 2)
            dampening = usual_number(event.argument("dampening", 3))
            if given is None or momentum == 0 or (dampening is not None and dampening != 0):
                return "Nesterov momentum requires a momentum and zero dampening"
    if name in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax"):
        eps = usual_number(event.kwargs.get("eps"))
        if eps is not None and eps < 0:
            return f"Invalid epsilon value: {eps}"
        betas = event.argument("betas", 2)
        if betas is not None and betas.by in ("tuple", "list"):
            for index, beta in enumerate(map(usual_number, betas.args[:2])):
                if beta is not None and not 0 <= beta < 1:
                    return f"Invalid beta parameter at index {index}: {beta}"
        decay = usual_number(event.kwargs.get("weight_decay"))
        if decay is not None and decay < 0:
            return f"Invalid weight_decay value: {decay}"
    return None


def _dropout(event: Event) -> str | None:
    is_layer = not event.name.startswith("torch.nn.functional")
    p = usual_number(event.argument("p", 0 if is_layer else 1))
    if p is None or 0 <= p <= 1:
        return None
    return f"dropout probability has to be between 0 and 1, but got {p}"
