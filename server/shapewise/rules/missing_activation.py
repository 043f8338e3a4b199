"""Two linear layers in a row are one linear layer."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import replace

from ..program.events import Event
from ..program.values import Value, number, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "missing-activation"
_LINEAR_TOO = ("torch.nn.Dropout", "torch.nn.Identity")
"""What does not make one layer out of two any less linear."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Two Linear layers one after the other, but for a bottleneck, which is meant."""
    for first, second, place, before in (*_in_sequences(tree), *_in_calls(tree)):
        if first.by != "torch.nn.Linear" or second.by != "torch.nn.Linear" or _is_bottleneck(first, second):
            continue
        if first is not second and place is not None and before is not None:
            yield found(
                RULE,
                tree,
                place,
                "two Linear layers without an activation between them compute no more than one.",
                related=[Related(tree.span(before), "the one before")],
            )


_Pair = tuple[Value, Value, "ast.AST | None", "ast.AST | None"]


def _in_sequences(tree: Tree) -> Iterator[_Pair]:
    """Neighbours in a Sequential, where they are made."""
    for event in tree.course.calls("torch.nn.Sequential"):
        layers = [one for one in event.args if one.by not in _LINEAR_TOO]
        for first, second in itertools.pairwise(layers):
            yield first, second, second.node, first.node
        if len(layers) == 1 and layers[0].spread and (again := _each(tree, layers[0])) is not None:
            yield again, replace(again), again.node, again.node


def _each(tree: Tree, given: Value) -> Value | None:
    """The one linear layer that a loop or a comprehension makes each time, where a list holds nothing else."""
    made = given.on
    if made is None or made.by not in ("list", "listcomp", "genexp"):
        return None
    layers = [one for one in made.args if one.by not in _LINEAR_TOO]
    only = layers[0] if len(layers) == 1 and layers[0].by == "torch.nn.Linear" else None
    if only is None or made.by != "list":
        return only
    filled = [
        use for use in tree.course.uses(made) if use.kind == "augmented" or use.name in (".append", ".extend")
    ]
    known = {".append", "augmented", "*", "torch.nn.Sequential"}
    others = [use for use in tree.course.uses(made) if use.kind == "call" and use.name not in known]
    surely = len(filled) == 1 and bool(filled[0].loops) and not filled[0].branches_in(filled[0].loops[-1])
    return only if surely and not others else None


def _in_calls(tree: Tree) -> Iterator[_Pair]:
    """A layer called on the result of another, which nothing else uses."""
    made: dict[int, tuple[Value, Event]] = {}
    for event in tree.course.calls("()"):
        layers = roots(event.on)
        if len(layers) != 1 or len(event.args) != 1 or not _in_a_forward(event):
            continue
        if layers[0].by in _LINEAR_TOO:
            if event.value is not None and id(event.args[0]) in made:
                made[id(event.value)] = made[id(event.args[0])]
            continue
        before = made.get(id(event.args[0]))
        if before is not None and len(tree.course.uses(event.args[0])) <= 2:
            yield before[0], layers[0], event.node, before[1].node
        if event.value is not None:
            made[id(event.value)] = layers[0], event


def _in_a_forward(event: Event) -> bool:
    """Whether it is written in a module's forward, or in a method of the module that it calls."""
    return event.in_forward or event.called_by("forward")


def _is_bottleneck(first: Value, second: Value) -> bool:
    """Whether the width between the two is smaller than on both sides, or not known."""
    width = first.argument("out_features", 1)
    if any(
        _equal(width, one) for one in (first.argument("in_features", 0), second.argument("out_features", 1))
    ):
        return False
    sizes = [number(first.argument("in_features", 0)), number(first.argument("out_features", 1))]
    last = number(second.argument("out_features", 1))
    if sizes[0] is None or sizes[1] is None or last is None:
        return True
    return sizes[1] < min(sizes[0], last)


def _equal(one: Value | None, other: Value | None) -> bool:
    """Whether two widths are one value, or one attribute of one object: `cfg.hidden` twice."""
    if one is None or other is None:
        return False
    return one is other or (one.by == other.by == "." and one.name == other.name and one.on is other.on)
