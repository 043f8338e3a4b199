"""A checkpoint that torch.load will refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..edits.calls import add_keyword
from ..program.events import Event
from ..program.values import INSTANCE, Value, constant, contents
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .asking.versions import at_least
from .telling.found import fix, found

RULE = "checkpoint-not-weights-only-loadable"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every saved dict with an object that is no tensor, number or text, where the file loads by default."""
    course = tree.course
    loads = course.calls("torch.load")
    if not at_least(log, 2, 6) or not loads or not all(map(_is_strict, loads)):
        return
    if any(name.endswith("safe_globals") for name, _ in course.called()):
        return
    for event in course.calls("torch.save"):
        for entry, value in _values(tree, event):
            if not any(map(_is_foreign, contents(value))):
                continue
            made = value.node if value.node is not entry else None
            yield found(
                RULE,
                tree,
                entry,
                "torch.load reads tensors, numbers, texts and containers of them, and refuses any other object "
                "(UnpicklingError). Save it as a tensor or a plain value, or load with weights_only=False what you "
                "trust.",
                *_fixes(tree, loads),
                related=[Related(tree.span(made), "made here")] if made is not None else [],
            )


def _fixes(tree: Tree, loads: Sequence[Event]) -> list[Fix]:
    calls = [one.node for one in loads]
    edits = [add_keyword(tree.text, one, "weights_only=False") for one in calls if isinstance(one, ast.Call)]
    return [fix("load all that it holds, as you trust it", *edits)] if len({*calls}) == len(edits) else []


def _is_strict(load: Event) -> bool:
    asked = load.kwargs.get("weights_only")
    return asked is None or constant(asked) is True


def _values(tree: Tree, event: Event) -> Iterator[tuple[ast.expr, Value]]:
    """What a saved dict holds, as it is written there or stored in it before."""
    given = event.argument("obj", 0)
    if given is None:
        return
    if isinstance(given.node, ast.Dict):
        yield from zip(given.node.values, given.args)
    elif given.by == "builtins.dict" and isinstance(given.node, ast.Call):
        for keyword in given.node.keywords:
            if keyword.arg in given.kwargs:
                yield keyword.value, given.kwargs[keyword.arg]
    for store in tree.course.of_kind("store"):
        statement = tree.course.places.statement(store.node)
        if store.on is given and store.index < event.index and isinstance(statement, ast.Assign):
            yield statement.value, store.args[1]


def _is_foreign(value: Value) -> bool:
    if value.by == "numpy.random.get_state":
        return True
    if value.by.startswith("numpy.") and value.short() in (
        "array",
        "zeros",
        "ones",
        "asarray",
        "mean",
        "float64",
        "arange",
    ):
        return True
    if value.by == ".parse_args":
        return True
    return (
        value.by == INSTANCE and value.cls is not None and not value.cls.is_module and value.node is not None
    )
