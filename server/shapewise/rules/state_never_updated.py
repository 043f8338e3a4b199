"""A statistic that a module keeps and reads, and that nothing ever sets, while others beside it are kept up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.definitions import Class
from ..program.liveness import sets
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .asking.written import written
from .telling.found import found

RULE = "state-never-updated"
_STATISTIC = re.compile(
    r"^_?((running|moving|ema|avg|mov|run)_?)?(mean|means|var|variance|std|m2|s2|count|counts|num_updates|usage|cluster_size|embed_avg|"
    r"sum|sums|total|totals|n_seen|num_batches|num_samples|second_moment|first_moment|sq|sq_mean|mean_sq|min|max|norm|scale_ema|avg|ema)$"
)
_FIXED = re.compile(
    r"(^|_)(unit|ones?|zeros?|const|mask|eye|base|init|default|pad|empty|identity)", re.IGNORECASE
)
_MADE = frozenset("zeros ones full zeros_like ones_like".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each statistic that is made of zeros or ones, read, and set by nothing in the file, beside one that a method keeps up."""
    if "self." not in tree.text or "torch" not in tree.text:
        return
    known: set[str] | None = None
    for cls in tree.course.classes:
        yield from _lists(tree, cls)
        made = _made(cls) if isinstance(cls.node, ast.ClassDef) else {}
        if len(made) > 1:
            known = written(tree) if known is None else known
            statistics = {name: one for name, one in made.items() if _STATISTIC.match(name)}
            if len(statistics) > 1:
                yield from _left_alone(tree, cls, statistics, known)
            elif (updates := _computes_in_vain(cls, made, known)) is not None:
                yield from _left_alone(tree, cls, updates, known)


def _left_alone(tree: Tree, cls: Class, made: dict[str, ast.stmt], known: set[str]) -> Iterator[Finding]:
    kept = [name for name in made if name in known]
    if not kept or "*" in known:
        return
    for name, statement in made.items():
        read = [] if name in known else _reads(cls, name)
        if read:
            yield found(
                RULE,
                tree,
                statement,
                f"{name} is read and nothing ever sets it: it stays what it is made as, while {kept[0]} is kept up. The line that updates it "
                "is missing.",
                related=[Related(tree.span(read[0]), f"{name} is read here")],
            )


def _computes_in_vain(cls: Class, made: dict[str, ast.stmt], known: set[str]) -> dict[str, ast.stmt] | None:
    """What is made by a class one of whose methods sets one of it, and computes something else that it never reads."""
    left = [name for name in made if name not in known]
    kept = [name for name in made if name in known]
    for at, method in cls.methods.items():
        if at != "__init__" and len(left) == 1 and not _FIXED.search(left[0]) and _unread(method.node):
            text = ast.unparse(method.node)
            if any(f"self.{one}" in text for one in kept):
                return made
    return None


def _unread(function: ast.AST) -> set[str]:
    """The variables that a function sets, and reads nowhere but to set them anew."""
    assigned = [one for one in ast.walk(function) if isinstance(one, ast.Assign)]
    own = {
        id(node) for one in assigned for node in ast.walk(one.value) if getattr(node, "id", "") in sets(one)
    }
    read = {
        one.id
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in own
    }
    return {name for one in assigned for name in sets(one) if not name.startswith("_")} - read


def _made(cls: Class) -> dict[str, ast.stmt]:
    """What the constructor makes of zeros, ones or a number, with the statements that do."""
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
    return found


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


def _lists(tree: Tree, cls: Class) -> Iterator[Finding]:
    """Each list of zeros, one for each parameter, that loops read as what was there before, and none sets."""
    init = cls.methods.get("__init__")
    for node in () if init is None else ast.walk(init.node):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if (
            not isinstance(node, ast.Assign)
            or not isinstance(node.value, ast.ListComp)
            or not _is_made(node.value.elt)
        ):
            continue
        if not isinstance(target, ast.Attribute) or ast.unparse(target.value) != "self":
            continue
        uses = _reads(cls, target.attr)
        names = [_gone_over(tree, use) for use in uses]
        if not uses or len(uses) != sum(
            1 for one in tree.course.nodes(ast.Attribute) if _is_use(one, target.attr)
        ):
            continue
        blends = [_blend(*one) if one is not None else None for one in names]
        if None in blends or any(one is None or _may_be_written(*one) for one in names):
            continue
        blend = blends[0]
        assert blend is not None
        yield found(
            RULE,
            tree,
            blend,
            f"what is in {target.attr} is read as what was there before, and nothing ever sets it: each time it is zero. Write the new value "
            "into it.",
            related=[Related(tree.span(node), f"{target.attr} is made of zeros here")],
        )


def _is_use(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)


def _gone_over(tree: Tree, use: ast.AST) -> tuple[ast.For, str] | None:
    """The loop that goes over a list, and what it calls an item: `for p, b in zip(self.params, self.buf)`."""
    parent = tree.course.places.parent(use)
    if isinstance(parent, ast.For) and parent.iter is use and isinstance(parent.target, ast.Name):
        return parent, parent.target.id
    loop = tree.course.places.parent(parent) if isinstance(parent, ast.Call) else None
    if not isinstance(loop, ast.For) or not isinstance(parent, ast.Call) or loop.iter is not parent:
        return None
    if ast.unparse(parent.func) != "zip" or not isinstance(loop.target, ast.Tuple) or use not in parent.args:
        return None
    target = loop.target.elts[parent.args.index(use)]
    return (loop, target.id) if isinstance(target, ast.Name) else None


def _blend(loop: ast.For, name: str) -> ast.BinOp | None:
    """Where an item is weighed and added to something new."""
    for one in ast.walk(loop):
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            for part in (one.left, one.right):
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
                    if any(
                        isinstance(factor, ast.Name) and factor.id == name
                        for factor in (part.left, part.right)
                    ):
                        return one
    return None


def _may_be_written(loop: ast.For, name: str) -> bool:
    """Whether the loop does anything with an item but to compute with it."""
    allowed = {
        id(factor) for one in ast.walk(loop) if isinstance(one, ast.BinOp) for factor in (one.left, one.right)
    }
    return any(
        isinstance(one, ast.Name) and one.id == name and id(one) not in allowed
        for statement in loop.body
        for one in ast.walk(statement)
    )
