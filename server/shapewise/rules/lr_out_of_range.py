"""A learning rate that is off by orders of magnitude."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.events import Event
from ..program.folding import usual_number
from ..program.training import is_optimizer, owned
from ..program.values import GIVEN, Value, number, roots, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, said_at

RULE = "lr-out-of-range"
_HIGHEST = {
    "Adam": 0.5,
    "AdamW": 0.5,
    "NAdam": 0.5,
    "RAdam": 0.5,
    "Adamax": 0.5,
    "RMSprop": 0.5,
    "SparseAdam": 0.5,
    "SGD": 100.0,
    "ASGD": 100.0,
    "Adagrad": 10.0,
}
"""From here on steps are so large that nothing converges. Tables of bigrams bear 10 with SGD, a layer on frozen features 30."""
_USUAL = {"SGD": "0.1", "ASGD": "0.1", "Adagrad": "0.01"}
_LOWEST = 1e-9
_FINE_TUNING = 5e-3


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every learning rate written as a number beyond what any training uses."""
    for event in tree.course.of_kind("call"):
        if not event.name.startswith("torch.optim.") or not is_optimizer(event.value):
            continue
        if _is_only_scheduled(tree, event):
            continue
        for given in _rates(event):
            yield from _judged(tree, event, given)


def _is_only_scheduled(tree: Tree, event: Event) -> bool:
    """Whether a file that differentiates nothing makes an optimizer for a scheduler, to see what that does."""
    if tree.training.backwards or event.value is None:
        return False
    uses = [one for one in tree.course.uses(event.value) if one.kind != "bind"]
    return bool(uses) and all(
        one.kind == "call"
        and (same(one.on, event.value) or "sched" in one.name.lower() or one.name.endswith("LR"))
        for one in uses
    )


def _rates(event: Event) -> Iterator[Value]:
    """The learning rate of an optimizer, and those of its groups."""
    rate, params = event.argument("lr", 1), event.argument("params", 0)
    if rate is not None:
        yield rate
    for group in params.args if params is not None and params.by == "list" else ():
        if group.by == "dict" and "lr" in group.keys:
            yield group.args[group.keys.index("lr")]


def _judged(tree: Tree, event: Event, given: Value) -> Iterator[Finding]:
    assert event.value is not None
    name, lr = event.value.short(), usual_number(given)
    highest = _HIGHEST.get(name)
    if lr is None or lr < 0 or highest is None:
        return
    if lr == 0 and number(given) is None:
        return  # a default that stands for none
    message = ""
    of_group = given is not event.argument("lr", 1)
    if (lr in (0, 1) and _set_later(tree, event.value)) or (lr == 0 and of_group):
        return
    if lr >= highest and _is_for_another(event, given):
        return
    if lr >= highest and not _of_bare_tensors(event):
        message = (
            f"{lr:g} is far above what {name} bears: each step overshoots. Usual is about {_usual(name)}."
        )
    elif lr == 0 and not _scheduled(tree, event.value):
        message = "a learning rate of 0 changes nothing."
    elif 0 < lr < _LOWEST:
        message = f"{lr:g} is so small that float32 weights do not change. Usual is about {_usual(name)}."
    elif lr >= _FINE_TUNING and name.startswith("Adam") and _pretrained(event.value):
        message = f"{lr:g} destroys what a pretrained transformer knows in a few steps. Usual is about 2e-5."
    if message:
        usual = "2e-5" if _pretrained(event.value) else _USUAL.get(name, "1e-3")
        written = given.node if isinstance(given.node, ast.Constant) else None
        yield found(
            RULE,
            tree,
            (given.node if of_group else None) or said_at(tree, event, given),
            message,
            *([] if written is None else [fix(f"{usual}, as is usual", replace(tree.text, written, usual))]),
        )


def _is_for_another(event: Event, given: Value) -> bool:
    """Whether it may be the default of another optimizer than the one of this way: `if opt == "Adam": ... else: LBFGS(...)`."""
    return event.passed_over or (
        given.by == GIVEN and any(one.test is not None for one in event.branches_in(None))
    )


def _of_bare_tensors(optimizer: Event) -> bool:
    """Whether it moves tensors and no module's weights: pixels from 0 to 255 bear other steps (`Adam([image], lr=1)`)."""
    params = optimizer.argument("params", 0)
    if params is None or params.by not in ("list", "tuple"):
        return False
    return not any(one.by in (".parameters", ".named_parameters") for one in within(params, 8))


def _usual(name: str) -> str:
    return "0.1, or less" if name in ("SGD", "ASGD") else "0.01" if name == "Adagrad" else "0.001"


def _scheduled(tree: Tree, optimizer: Value) -> bool:
    return (
        any("sched" in event.name.lower() for event in tree.course.uses(optimizer)) or not tree.training.steps
    )


def _set_later(tree: Tree, optimizer: Value) -> bool:
    """Whether the number is only a unit: LambdaLR multiplies it by the rate, or the file writes `group["lr"]`."""
    if any(event.name.endswith(".LambdaLR") for event in tree.course.uses(optimizer)):
        return True
    return any(event.args[0].const == "lr" for event in tree.course.of_kind("store"))


def _pretrained(optimizer: Value) -> bool:
    models = [root for model in owned(optimizer) or () for root in roots(model)]
    return bool(models) and all(
        root.by.startswith("transformers.") and root.by.endswith("from_pretrained") for root in models
    )
