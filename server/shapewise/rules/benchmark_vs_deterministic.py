"""cuDNN asked to be deterministic and to try out what is fastest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.events import Event, only_with
from ..program.values import PATH, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "benchmark-vs-deterministic"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """benchmark=True in a file that also asks for determinism: under the same condition, or before it where one of the two is asked for in any case."""
    course = tree.course
    strict: list[Event] = []
    fast, loose = [], []
    for event in course.of_kind("set"):
        if event.on is None or event.on.by != PATH or event.on.path != "torch.backends.cudnn":
            continue
        if event.name == "deterministic" and constant(event.args[0]) is not True:
            loose.append(event)
        elif constant(event.args[0]) is True:
            if event.name == "deterministic":
                strict.append(event)
            elif event.name == "benchmark":
                fast.append(event)
    strict += [
        event
        for event in course.calls("torch.use_deterministic_algorithms")
        if constant(event.argument("mode", 0)) is True
    ]
    strict = [one for one in strict if not any(_takes_back(back, one) for back in loose)]
    told: set[ast.AST] = set()
    for event in fast:
        statement = course.places.statement(event.node)
        both = [
            one
            for one in strict
            if [only_with(event, one), only_with(one, event), _is_before(one, event) and not loose].count(
                True
            )
            > 1
        ]
        if not both or event.node in told or not isinstance(statement, ast.Assign):
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            statement,
            "benchmark tries several kernels and takes the fastest, which may be another one in each run: results are no "
            "longer repeatable.",
            fix("benchmark = False", replace(tree.text, statement.value, "False")),
            related=[Related(tree.span(both[0].node), "determinism is asked for here")],
        )


def _takes_back(loose: Event, strict: Event) -> bool:
    """Whether a function is deterministic for a while only."""
    return loose.function is strict.function and _is_before(strict, loose) and only_with(strict, loose)


def _is_before(one: Event, other: Event) -> bool:
    return one.root == other.root and one.index < other.index
