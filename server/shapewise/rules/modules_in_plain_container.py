"""Layers kept in a Python list or dict: the module does not know them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.events import Event, Loop
from ..program.names import last_name
from ..program.training import is_module
from ..program.values import INSTANCE, Value, contents, roots, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "modules-in-plain-container"
_COMPREHENSIONS = ("listcomp", "genexp")
_CALLED = ("builtins.list", "builtins.tuple")
_KINDS = ("list", "tuple", "dict", "listcomp", "dictcomp", *_CALLED)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every attribute of a module that is such a container, and that nothing registers."""
    told: set[ast.AST] = set()
    for event in tree.course.of_kind("set"):
        owner, value = event.on, event.args[0]
        if owner is None or owner.by != INSTANCE or owner.cls is None or not owner.cls.is_module:
            continue
        if value.by in _CALLED and (not value.args or value.args[0].by not in _COMPREHENSIONS):
            continue
        if value.by not in _KINDS or value.node is None or value.node in told:
            continue
        layers = list(_layers(tree, value))
        if _hidden(tree, value):
            continue
        parameters = bool(layers) and all(
            root.by == "torch.nn.Parameter" for one in layers for root in roots(one)
        )
        if not layers or not (parameters or all(is_module(layer, surely=True) for layer in layers)):
            continue
        if all(_held(tree, root, value) for layer in layers for root in roots(layer)):
            continue
        if _registered(tree, value, layers) or _on_purpose(tree, event.node):
            continue
        if all(_is_without_state(root) for layer in layers for root in roots(layer)):
            continue
        told.add(value.node)
        contains = "Parameter" if parameters else "Module"
        kind = f"{contains}Dict" if value.by in ("dict", "dictcomp") else f"{contains}List"
        yield found(
            RULE,
            tree,
            event.node,
            f"a plain {value.short().removesuffix('comp')} hides its {'parameters' if parameters else 'layers'}: parameters() does not give them to the "
            f"optimizer, to() does not move them, state_dict() does not save them. Use nn.{kind}.",
            *_fixes(tree, event, value, kind),
        )


def _hidden(tree: Tree, value: Value) -> bool:
    """Whether one module that has a name elsewhere is all that is in it: so is one kept unregistered on purpose."""
    items = value.node.elts if isinstance(value.node, (ast.List, ast.Tuple)) else []
    alone = len(items) == 1 and all(event.on is not value for event in tree.course.calls(".append"))
    if not alone:
        return False
    frozen = isinstance(items[0], ast.Call) and last_name(items[0].func) in ("eval", "requires_grad_")
    return frozen or isinstance(items[0], (ast.Name, ast.Attribute))


def _on_purpose(tree: Tree, node: ast.AST) -> bool:
    """Whether a comment beside the line, or above it, names the container that it might have been."""
    lines, last = tree.text.splitlines(), getattr(node, "lineno", 1) - 1
    beside = [lines[last]]
    while last > 0 and lines[last - 1].lstrip().startswith("#"):
        last -= 1
        beside.append(lines[last])
    return any(re.search(r"#.*(Module|Parameter)(List|Dict)|#.*\bregister", line) for line in beside)


def _is_without_state(layer: Value) -> bool:
    """Whether a layer, or all of the layers of a module, have nothing that is learned, moved, saved or switched to eval."""
    if layer.by == INSTANCE and layer.cls is not None:
        words = {
            getattr(node, "attr", "") or getattr(node, "id", "")
            for cls in layer.cls.ancestry()
            for node in ast.walk(cls.node)
            if isinstance(node, (ast.Attribute, ast.Name))
        }
        held = [one for value in layer.attrs.values() for one in roots(value) if is_module(one)]
        plain = layer.cls.is_only_module and not words & {
            "Parameter",
            "register_buffer",
            "Buffer",
            "training",
        }
        return plain and bool(held) and all(map(_is_without_state, held))
    return layer.by == f"torch.nn.{layer.short()}" and layer.short() in _WITHOUT_STATE


_WITHOUT_STATE = frozenset(
    "Identity Flatten Unflatten Fold Unfold Upsample PixelShuffle PixelUnshuffle ReLU ReLU6 LeakyReLU ELU SELU GELU SiLU "
    "Mish Tanh Sigmoid Softplus Softmax LogSoftmax MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool2d ZeroPad2d ReflectionPad2d ReplicationPad2d".split()
)


def _layers(tree: Tree, value: Value) -> Iterator[Value]:
    """What is in the container, from the start or appended."""
    inner = value.args[0] if value.by in _CALLED and value.args else value
    items = inner.args[-1:] if inner.by in _COMPREHENSIONS or inner.by == "dictcomp" else inner.args
    for item in items:
        if item.spread and item.on is not None:
            yield from _layers(tree, item.on)  # `[*blocks, head]`
        elif item.spread:
            yield item
        else:
            yield from (one for one in contents(item) if one.by not in ("tuple", "list", "dict", "either"))
    for event in tree.course.calls(".append"):
        if event.on is value:
            yield from event.args
    for event in tree.course.of_kind("store"):
        if event.on is value and value.by == "dict":
            yield event.args[1]


def _held(tree: Tree, layer: Value, container: Value) -> bool:
    """Whether a layer is an attribute of a module as well, or in a container that registers."""
    for event in tree.course.uses(layer):
        if event.kind == "set" and event.on is not None and event.args[0] is not container:
            owners = [one for one in roots(event.on) if one is not layer]  # its own layers do not hold it
            if any(one.by == INSTANCE and one.cls is not None and one.cls.is_module for one in owners):
                return True
        registers = event.on is not None and any(one.by.startswith("torch.nn.") for one in roots(event.on))
        if registers and (event.kind == "store" or event.name in (".append", ".extend", ".insert")):
            return True
        if event.name == ".append" and event.on is not None and event.on is not container:
            if event.on.by == "list" and all(one is not event.on for one in roots(container)):
                return True  # in another list, of layers that go elsewhere
    return False


def _registered(tree: Tree, value: Value, layers: list[Value]) -> bool:
    """Whether the layers are registered in another way: by a Sequential made of them, by add_module."""
    wanted = [value, *layers]
    for event in tree.course.of_kind("call"):
        if event.name in (".append", "builtins.len", "builtins.print", "builtins.enumerate", "builtins.zip"):
            continue
        given = [one.on if one.by == "*" and one.on is not None else one for one in event.inputs()]
        if event.name.startswith("torch.nn.") or event.name in (
            ".add_module",
            ".register_module",
            ".register_parameter",
            "builtins.setattr",
            "builtins.exec",
            ".extend",
            ".parameters",
        ):
            if any(
                one is mine
                for given_one in given
                for one in (given_one, *roots(given_one))
                for mine in wanted
            ):
                return True
            if event.name in (".add_module", ".register_module", "builtins.setattr", "builtins.exec"):
                return True
            if event.name == "torch.nn.ParameterList" and _collects(tree, event, value):
                return True
    return False


def _collects(tree: Tree, lists: Event, value: Value) -> bool:
    """Whether the function in which a ParameterList is made goes over the layers: their parameters are what is in it."""
    return lists.function is not None and any(
        isinstance(one, Loop) and one.over is not None and any(part is value for part in within(one.over, 4))
        for event in tree.course.calls(".parameters")
        if event.function is lists.function
        for one in event.where
    )


def _texts(tree: Tree, value: Value) -> bool:
    """Whether all that is stored in a dict is stored under texts: a ModuleDict takes no other keys."""
    keys = [event.args[0] for event in tree.course.of_kind("store") if event.on is value]
    return all(isinstance(key.const, str) or key.by == "fstring" for key in keys)


def _fixes(tree: Tree, event: Event, value: Value, kind: str) -> tuple[Fix, ...]:
    name = name_for(tree, f"torch.nn.{kind}")
    node = value.node
    if name is None or not isinstance(node, ast.expr):
        return ()
    if kind.endswith("Dict") and not (
        all(isinstance(key, str) for key in value.keys) and _texts(tree, value)
    ):
        return ()
    text = source(tree.text, node)
    if value.by == "tuple" and not text.startswith("("):
        return ()
    inner = "" if text in ("[]", "{}") else text
    return (fix(f"use nn.{kind}", replace(tree.text, node, f"{name}({inner})"), safe=True),)
