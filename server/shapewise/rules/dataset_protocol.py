"""A data set that a loader cannot use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after
from ..edits.text import text_map
from ..program.definitions import Class
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found

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
            *_fixes(tree, cls, missing),
            severity=None if id(cls) in loaded else "warning",
        )


_MEANT = {
    "__getitem__": ("getitem", "get"),
    "__len__": ("len", "length", "size"),
    "__iter__": ("iter", "iterate"),
}
"""What a method may be called instead, without its underscores."""


def _fixes(tree: Tree, cls: Class, missing: list[str]) -> tuple[Fix, ...]:
    """The right name for a method that is called nearly so; the length of what items are taken out of."""
    if len(missing) != 1:
        return ()
    name = missing[0]
    for other, method in cls.methods.items():
        if other.replace("_", "").lower() in _MEANT[name] and isinstance(method.node, ast.FunctionDef):
            return (fix(f"call it {name}", _renamed(tree, method.node, name)),)
    item = cls.methods.get("__getitem__")
    if name != "__len__" or item is None or not isinstance(item.node, ast.FunctionDef):
        return ()
    index = [one.arg for one in item.node.args.args][1:2]
    stored = [
        ast.unparse(one.value)
        for one in ast.walk(item.node)
        if isinstance(one, ast.Subscript)
        and isinstance(one.slice, ast.Name)
        and [one.slice.id] == index
        and ast.unparse(one.value).startswith("self.")
    ]
    if not stored:
        return ()
    text = f"\ndef __len__(self):\n    return len({stored[0]})"
    return (fix(f"len({stored[0]})", insert_after(tree.text, item.node, text)),)


def _renamed(tree: Tree, method: ast.FunctionDef, name: str) -> Edit:
    places = text_map(tree.text)
    at = places.line(method.lineno).index(method.name, places.span(method).column)
    return Edit(Span(method.lineno, at, method.lineno, at + len(method.name)), name)


def _cannot_be_made(cls: Class) -> bool:
    """Whether its constructor does nothing but raise: it stands for a data set that is not there."""
    constructor = cls.method("__init__")
    body = [] if constructor is None or isinstance(constructor.node, ast.Lambda) else constructor.node.body
    said = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return bool(said) and isinstance(said[0], ast.Raise)
