"""A constant tensor as a plain attribute of a module: it stays on the CPU when the module moves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.definitions import Class
from ..program.freezing import made_to_learn
from ..program.tensors import is_tensor
from ..program.training import is_module
from ..program.values import EITHER, GIVEN, Value, options_of, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "module-tensor-not-buffer"
_PLACED = (".to", ".cuda", ".type_as")
_KINDS = ("device", "dtype", "shape", "ndim")
"""What is asked of a tensor without computing with it."""


_LOOKS = frozenset(
    "len print str repr isinstance type id list tuple set int float bool enumerate zip".split()
)
"""Python's own functions: for them it is all one where a tensor is."""
_ASIDE = re.compile("init|reset|plot|show|draw|print|get_|set_|save|load|repr")
"""Names of methods that are not part of a forward pass, unless one that computes calls them."""
_COMPUTE = ("forward", "training_step", "validation_step", "test_step", "predict_step")
"""Who has none of them is a module by name only: nothing of what moves with it meets its tensors."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such attribute that the module computes with."""
    learning = made_to_learn(tree.course)
    moved = any(is_module(one.on) for one in tree.course.calls(".to", ".cuda"))
    for event, cls, value in tree.course.attributes_made():
        if id(value) in learning or not any(cls.method(name) for name in _COMPUTE):
            continue
        if event.function is None or event.function.cls is not cls or not _is_constant(value):
            continue
        use = _used(tree, cls, event.name, _is_row(value))
        if use is None or _set_elsewhere(tree, cls, event.name):
            continue
        if any(
            other is not event
            and other.name == event.name
            and same(other.on, event.on)
            and (_is_kept(other.args[0]) or not _is_constant(other.args[0]))
            for other in tree.course.of_kind("set")
        ):
            continue  # it becomes a parameter under its own name, or another tensor: moved, or that of a call
        number = _may_be_number(value)
        consequence = (
            "a number is copied to the card in every forward" if number else "forward fails on a GPU"
        )
        yield found(
            RULE,
            tree,
            event.node,
            f"self.{event.name} is neither parameter nor buffer: to(device) leaves it on the CPU, and {consequence}. "
            "Register it as a buffer.",
            *_fixes(tree, event.node, event.name),
            related=[Related(tree.span(use), "used here")],
            severity=None if moved and not number else "hint",
        )


def _is_kept(value: Value) -> bool:
    """Whether a module moves it along."""
    return any(one.by in ("torch.nn.Parameter", "torch.nn.Buffer") for one in options_of(value))


def _is_constant(value: Value) -> bool:
    """Whether it is surely a tensor made here of no other, nowhere in particular."""
    if not is_tensor(value) or any(
        "device" in one.kwargs or "requires_grad" in one.kwargs for one in within(value)
    ):
        return False
    return all(_made_here(option) for option in options_of(value))


def _made_here(value: Value) -> bool:
    if value.by in _PLACED or value.by == ".requires_grad_":
        return False
    if value.by.startswith(".") and value.on is not None:
        return _made_here(value.on)
    if value.by in ("+", "-", "*", "/", "**", "@", "[]"):
        return any(_made_here(part) for part in (value.on, *value.args) if part is not None)
    if not value.by.startswith("torch.") or value.by.startswith("torch.nn."):
        return False
    if value.short() in _MAKERS:
        return True
    return bool(value.args) and _made_here(value.args[0])


_MAKERS = frozenset(
    "tensor zeros ones empty full rand randn randint arange linspace logspace eye from_numpy as_tensor".split()
)


def _may_be_number(value: Value) -> bool:
    """Whether it may have no dims: such a tensor on the CPU meets those on a card, and is copied there each time."""
    return any(
        one.short() in ("tensor", "as_tensor")
        and one.by.startswith("torch.")
        and not any(map(_has_items, one.args[:1]))
        for one in options_of(value)
    )


def _has_items(data: Value) -> bool:
    """Whether what a tensor is made of is surely no single number."""
    if data.by == EITHER:
        return all(map(_has_items, data.options))
    if data.by in ("+", "*"):
        return any(map(_has_items, data.args))
    if data.by == GIVEN:
        listed = data.default is not None and _has_items(data.default)
        return listed or data.annotation.rsplit(".", 1)[-1].lower().startswith(_LISTED)
    return data.by in _DISPLAYS or data.by.startswith("numpy.") or data.by == ".tolist"


_DISPLAYS = ("list", "tuple", "listcomp", "builtins.list", "builtins.sorted")
_LISTED = ("list", "tuple", "sequence", "iterable", "ndarray")


def _is_row(value: Value) -> bool:
    """Whether it surely has one dim, so that an item of it is a number, which meets tensors on any device."""
    sizes = value.by in ("torch.zeros", "torch.ones", "torch.rand", "torch.randn") and len(value.args) == 1
    if value.by in ("torch.tensor", "torch.as_tensor") and value.args:
        data = value.args[0]
        lists = [one for one in (data, *data.args) if data.by == "*" or one is data]
        return any(one.by == "list" and not any(map(_has_items, one.args)) for one in lists)
    return value.by in ("torch.arange", "torch.linspace") or (
        sizes and value.args[0].by not in (*_DISPLAYS, "", GIVEN, ".shape", ".size")
    )


def _used(tree: Tree, cls: Class, name: str, row: bool) -> ast.AST | None:
    """Where a method computes with the attribute as it is; None also where it is moved first."""
    first: ast.AST | None = None
    for method in cls.methods.values():
        if method.name == "__init__":
            continue
        if _ASIDE.search(method.name) and not _is_called(cls, method.name):
            continue
        for node in ast.walk(method.node):
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Name):
                if node.value.id != "self":
                    continue
                parent = tree.course.places.parent(node)
                if isinstance(parent, ast.Attribute) and parent.attr in _KINDS and not _moves(cls):
                    continue
                if isinstance(node.ctx, ast.Store) or isinstance(parent, ast.Attribute):
                    return None
                if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                    continue
                if (
                    isinstance(parent, ast.Call)
                    and isinstance(parent.func, ast.Name)
                    and parent.func.id in _LOOKS
                ):
                    continue
                if row and isinstance(parent, ast.Subscript) and _is_place(parent.slice, method.node):
                    continue
                if isinstance(parent, ast.Call) and _is_elsewhere(tree, parent):
                    continue
                if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Call, ast.AugAssign, ast.Subscript)):
                    first = first or node
    return first


def _moves(cls: Class) -> bool:
    """Whether a method of the class moves anything."""
    return any(
        isinstance(node, ast.Attribute) and f".{node.attr}" in _PLACED
        for method in cls.methods.values()
        for node in ast.walk(method.node)
    )


def _is_place(index: ast.expr, function: ast.AST) -> bool:
    """Whether an index is one number: a constant, or computed of what a loop counts."""
    counted = {
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
        if isinstance(node.iter.func, ast.Name) and node.iter.func.id in ("range", "enumerate")
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    if isinstance(index, (ast.Slice, ast.Tuple)):
        return False
    return all(
        isinstance(node, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load))
        or (isinstance(node, ast.Name) and node.id in counted)
        for node in ast.walk(index)
    )


def _is_elsewhere(tree: Tree, call: ast.Call) -> bool:
    """Whether a call is of a function of another file, which may move what it is given, or only look at it."""
    names = {event.name for event in tree.course.of_kind("call") if event.node is call}
    return any(name[:1].isalpha() and name != "def" and not name.startswith("torch.") for name in names)


def _is_called(cls: Class, name: str) -> bool:
    """Whether a method that computes calls the one of this name."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name
        for method in cls.methods.values()
        if method.name in _COMPUTE
        for node in ast.walk(method.node)
    )


def _set_elsewhere(tree: Tree, cls: Class, name: str) -> bool:
    """Whether the class moves it itself, or a method of that kind is its own."""
    return any(method in cls.methods for method in ("to", "_apply", "cuda")) or any(
        isinstance(node, ast.Constant) and node.value == name for node in ast.walk(cls.node)
    )


def _fixes(tree: Tree, target: ast.AST, name: str) -> tuple[Fix, ...]:
    statement = tree.course.places.statement(target)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return ()
    if statement.targets[0] is not target:
        return ()
    text = f'self.register_buffer("{name}", {source(tree.text, statement.value)})'
    return (fix("register it as a buffer", replace(tree.text, statement, text)),)
