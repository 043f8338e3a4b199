"""A statistic that a module keeps and reads, and that nothing ever sets, while others beside it are kept up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.definitions import Class
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "state-never-updated"
_STATISTIC = re.compile(
    r"^_?((running|moving|ema|avg|mov|run)_?)?(mean|means|var|variance|std|m2|s2|count|counts|num_updates|usage|cluster_size|embed_avg|"
    r"sum|sums|total|totals|n_seen|num_batches|num_samples|second_moment|first_moment|sq|sq_mean|mean_sq|min|max|norm|scale_ema|avg|ema)$"
)
_MADE = frozenset("zeros ones full zeros_like ones_like".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each statistic that is made of zeros or ones, read, and set by nothing in the file, beside one that a method keeps up."""
    if "self." not in tree.text or "torch" not in tree.text:
        return
    written: set[str] | None = None
    for cls in tree.course.classes:
        if isinstance(cls.node, ast.ClassDef) and (made := _statistics(cls)):
            if len(made) > 1:
                written = _written(tree) if written is None else written
                yield from _left_alone(tree, cls, made, written)


def _left_alone(tree: Tree, cls: Class, made: dict[str, ast.stmt], written: set[str]) -> Iterator[Finding]:
    kept = [name for name in made if name in written]
    if not kept or "*" in written:
        return
    for name, statement in made.items():
        read = [] if name in written else _reads(cls, name)
        if read:
            yield found(
                RULE,
                tree,
                statement,
                f"{name} is read and nothing ever sets it: it stays what it is made as, while {kept[0]} is kept up. The line that updates it "
                "is missing.",
                related=[Related(tree.span(read[0]), f"{name} is read here")],
            )


def _statistics(cls: Class) -> dict[str, ast.stmt]:
    """The statistics that the constructor makes of zeros, ones or a number, with the statements that do."""
    init = cls.methods.get("__init__")
    found: dict[str, ast.stmt] = {}
    for node in () if init is None else ast.walk(init.node):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if ast.unparse(call.func) != "self.register_buffer" or len(call.args) < 2:
                continue
            name, value = call.args[0], call.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and _is_made(value):
                found[name.value] = node
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_made(node.value):
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                found[target.attr] = node
    return {name: one for name, one in found.items() if _STATISTIC.match(name)}


def _is_made(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _MADE
        and ast.unparse(value.func.value) == "torch"
    )


def _reads(cls: Class, name: str) -> list[ast.AST]:
    """Where methods other than the constructor read it."""
    return [
        node
        for at, method in cls.methods.items()
        if at != "__init__"
        for node in ast.walk(method.node)
        if isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Load)
        and ast.unparse(node.value) == "self"
    ]


def _written(tree: Tree) -> set[str]:
    """The attributes that the file may set, whoever's they are, outside of constructors; `*` where it may be any."""
    found: set[str] = set()
    places = tree.course.places
    for node in places.nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("setattr", "getattr", "vars")
        ):
            found.add("*")
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in ("__dict__", "_buffers", "named_buffers", "buffers"):
            found.add("*")
        around = places.function(node)
        is_init = isinstance(around, ast.FunctionDef) and around.name == "__init__"
        if not isinstance(node.ctx, ast.Load):
            if not is_init:
                found.add(node.attr)
        elif _may_be_set(tree, node):
            found.add(node.attr)
    return found


def _may_be_set(tree: Tree, node: ast.Attribute) -> bool:
    """Whether what is done with it may set it: a method in place, an item, a function that is given it, another name for it."""
    parent = tree.course.places.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr.endswith("_") or parent.attr in ("data", "copy_")
    if isinstance(parent, ast.Subscript):
        return parent.value is node and not isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Call):
        return ast.unparse(parent.func).split(".")[0] not in ("torch", "math", "print", "float", "int")
    return isinstance(
        parent,
        ast.Assign | ast.AnnAssign | ast.Return | ast.Tuple | ast.List | ast.Dict | ast.keyword | ast.Yield,
    )
