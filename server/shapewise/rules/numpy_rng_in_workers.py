"""A generator of numpy's or Python's, made once and copied into every worker: all of them draw the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.definitions import Class
from ..program.values import DISPLAYS, INSTANCE, Value, constant, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.loaders import loaders
from .asking.tree import Tree
from .telling.found import found

RULE = "numpy-rng-in-workers"
_MAKES = frozenset(
    "numpy.random.default_rng numpy.random.RandomState numpy.random.Generator random.Random".split()
)
_COMPOSES = ("Compose", "Sequential", "RandomApply", "RandomChoice", "RandomOrder")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every data set with such a generator of its own that `__getitem__` draws from, in a loader with workers."""
    for loader in loaders(tree.course):
        workers = loader.given("num_workers", 5)
        if (
            workers is None
            or constant(workers) == 0
            or loader.is_open
            or loader.given("worker_init_fn") is not None
        ):
            continue
        for dataset in roots(loader.given("dataset", 0)):
            for cls, names in _drawing(dataset):
                for event in tree.course.of_kind("set"):
                    if event.on is None or event.on.cls is not cls or event.args[0].by not in _MAKES:
                        continue
                    if event.function is None or event.function.name != "__init__" or event.name not in names:
                        continue
                    yield found(
                        RULE,
                        tree,
                        event.node,
                        "each worker of the loader gets a copy of this generator, so that all of them draw the same "
                        "numbers, and the same again in every epoch. Draw from torch, or seed it in worker_init_fn.",
                        related=[Related(tree.span(loader.event.node), "the loader with workers")],
                    )


def _drawing(dataset: Value) -> Iterator[tuple[Class, set[str]]]:
    """The classes of a data set and of the transforms that its `__getitem__` calls, with the attributes that they ask for there."""
    if dataset.cls is None or dataset.cls.method("__getitem__") is None:
        return
    names = _used_by(dataset.cls, "__getitem__")
    yield dataset.cls, names
    waiting = [one for name, one in dataset.attrs.items() if name in names]
    seen: set[Class] = {dataset.cls}
    while waiting:
        for one in roots(waiting.pop()):
            if one.by in DISPLAYS or one.short() in _COMPOSES:
                waiting += one.args
            elif one.by == INSTANCE and one.cls is not None and one.cls not in seen:
                seen.add(one.cls)
                called = _used_by(one.cls, "__call__") if one.cls.method("__call__") else set[str]()
                if called:
                    yield one.cls, called
                    waiting += [held for name, held in one.attrs.items() if name in called]


def _used_by(cls: Class, name: str) -> set[str]:
    """The attributes that a method asks of anything, and the methods of its class that it leads to."""
    names, waiting = {name}, [name]
    while waiting:
        method = cls.method(waiting.pop())
        for node in ast.walk(method.node) if method is not None else ():
            if isinstance(node, ast.Attribute) and node.attr not in names:
                names.add(node.attr)
                waiting.append(node.attr)
    return names
