"""A data set that a loader cannot use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.definitions import Class
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "dataset-protocol"
_MAP = ("torch.utils.data.Dataset",)
_STREAM = ("torch.utils.data.IterableDataset",)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every data set of the file that a loader of the file is given, or that is used, without its methods."""
    course = tree.course
    inherited = {id(base) for cls in course.classes for base in cls.bases if isinstance(base, Class)}
    loaded = {
        id(one.cls)
        for event in course.calls("torch.utils.data.DataLoader")
        for one in event.args[:1]
        if one.cls is not None
    }
    for cls in course.classes:
        foreign = cls.foreign()
        if id(cls) in inherited or not foreign or any(base not in (*_MAP, *_STREAM) for base in foreign):
            continue
        made = cls in course.instances and course.instances[cls].node is not None
        if foreign <= set(_STREAM):
            missing = ["__iter__"] if cls.method("__iter__") is None else []
        else:
            missing = [name for name in ("__getitem__",) if cls.method(name) is None]
            if cls.method("__getitems__") is not None or cls.method("__getattr__") is not None:
                missing = []
            if id(cls) in loaded and cls.method("__len__") is None:
                missing.append("__len__")
        if not missing or not (made or cls.method("__init__") is not None) or _cannot_be_made(cls):
            continue
        if (
            missing == ["__getitem__"]
            and not made
            and id(cls) not in loaded
            and cls.method("__len__") is None
        ):
            continue  # one that holds other data sets: nobody asks it for an item
        if any(
            "abstract" in ast.dump(decorator)
            for one in cls.ancestry()
            for method in one.methods.values()
            for decorator in method.decorators
        ):
            continue
        names = " and ".join(missing)
        yield found(
            RULE,
            tree,
            cls.node,
            f"a data set needs {names}: a loader asks for its length and for items by index."
            if "__iter__" not in missing
            else "an iterable data set needs __iter__.",
            severity=None if id(cls) in loaded else "warning",
        )


def _cannot_be_made(cls: Class) -> bool:
    """Whether its constructor does nothing but raise: it stands for a data set that is not there."""
    constructor = cls.method("__init__")
    body = [] if constructor is None or isinstance(constructor.node, ast.Lambda) else constructor.node.body
    said = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return bool(said) and isinstance(said[0], ast.Raise)
