"""Two ways at once of saying in which order items come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..program.course import Course
from ..program.events import Branch, Event, only_with
from ..program.keywords import items_of
from ..program.values import Value, constant, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import Loader, loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "shuffle-and-sampler"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader with a sampler and shuffle, or with a batch sampler and what it replaces."""
    for loader in loaders(tree.course):
        node = loader.event.node
        if not isinstance(node, ast.Call):
            continue  # whatever `**options` adds, what is written here stands
        shuffled = constant(loader.given("shuffle", 2)) is True or _put_among_options(tree.course, loader)
        sampler = loader.given("sampler", 3)
        if shuffled and (_is_there(sampler) or _is_there_at_times(sampler, loader)):
            error, names = "sampler option is mutually exclusive with shuffle", ["shuffle"]
        elif _is_there(loader.given("batch_sampler", 4)):
            names = [
                name
                for name in ("batch_size", "shuffle", "sampler", "drop_last")
                if _is_set(loader.given(name))
            ]
            error = (
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
            if not names:
                continue
        else:
            continue
        fixes = []
        if len(names) == 1 and any(keyword.arg == names[0] for keyword in node.keywords):
            fixes = [fix(f"leave {names[0]} out", remove_keyword(tree.text, node, names[0]), safe=True)]
        yield found(RULE, tree, node, error, *fixes, torch_error=error)


def _put_among_options(course: Course, loader: Loader) -> bool:
    """Whether `options["shuffle"] = True` was written into what is given as `**options`, whatever the sampler is, or on
    the way on which the sampler was.
    """
    options, samplers = loader.event.kwargs.get("**"), options_of(loader.given("sampler", 3) or Value())
    puts = list(_puts(course))
    for event, key, value in puts:
        if key != "shuffle" or constant(value) is not True:
            continue
        if event.on is options and options is not None:
            tests = [one.test for one in event.branches_in(None) if one.test]
            if not any("sampler" in ast.unparse(test) for test in tests):
                return True
        if any(
            other.on is event.on
            and name == "sampler"
            and any(put is one for one in samplers)
            and only_with(other, event)
            for other, name, put in puts
            if _is_there(put)
        ):
            return True
    return False


def _puts(course: Course) -> Iterator[tuple[Event, object, Value]]:
    """What is written into dicts under which key."""
    for event in course.of_kind("store"):
        yield event, constant(event.args[0]), event.args[1]
    for event in course.calls(".update"):
        given = [event.kwargs, *(items_of(one) or {} for one in event.args)]
        yield from ((event, key, value) for items in given for key, value in items.items())


def _is_there(value: Value | None) -> bool:
    """Whether it is surely something."""
    if value is None:
        return False
    return all(option.by not in ("const", "", "given", ".") for option in options_of(value))


def _is_there_at_times(value: Value | None, loader: Loader) -> bool:
    """Whether one way leads here with a sampler: `Sampler(data) if balanced else None`, and no condition in between."""
    made = options_of(value) if value is not None else ()
    function = loader.event.function
    here = [one for one in loader.event.branches_in(None) if function is None or _within(one, function.node)]
    return not here and any(one.by.endswith("Sampler") for one in made)


def _within(branch: Branch, function: ast.AST) -> bool:
    return any(one is branch.node for one in ast.walk(function))


def _is_set(value: Value | None) -> bool:
    const = constant(value)
    return const is True or (isinstance(const, int) and const not in (0, 1, False)) or _is_there(value)
