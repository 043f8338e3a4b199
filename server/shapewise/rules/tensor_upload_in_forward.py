"""A tensor that forward makes on the CPU: copied to the card in every call, or left behind."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from ..edits.calls import add_keyword
from ..program.events import Event
from ..program.values import CONST, EITHER, GIVEN, INSTANCE, Value, flows_into, roots, within
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "tensor-upload-in-forward"
_DEVICES = re.compile(r"\bcuda\b|\bdevice\b|\.to\(")
"""A file that says none of these is meant for the CPU, for all that is known."""
_MAKES = frozenset("tensor zeros ones full empty arange linspace eye rand randn randint randperm".split())
_SIZED = tuple(f"torch.{name}" for name in ("zeros", "ones", "empty", "rand", "randn"))
_SHAPES = ("view", "reshape", "unsqueeze", "float", "repeat", "expand")
_MOVES = (".to", ".cuda", ".type_as", ".item", ".tolist", ".numpy")
_READS = ("builtins.int", "builtins.float", "builtins.bool", "builtins.round")
"""Calls that make a number of Python's out of a tensor: it meets numbers, then, and no tensors."""
_SIZES = (".size", ".dim", ".numel", "builtins.len")
_ENDS = (".max", ".min", ".sum", ".mean", ".numel")
_COMPARES = ("<", ">", "<=", ">=", "==", "!=", "in", "not in", "is", "is not")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every tensor made in the forward of a module without a device and used with what forward was given."""
    course = tree.course
    if course.calls("torch.set_default_device", "torch.set_default_tensor_type") or not _DEVICES.search(
        tree.text
    ):
        return
    for event in course.calls(*(f"torch.{name}" for name in sorted(_MAKES))):
        call, value = event.node, event.value
        if not _in_each_forward(event) or value is None or not isinstance(call, ast.Call):
            continue
        if "device" in event.kwargs or "**" in event.kwargs:
            continue
        moved = _moved(tree, call)
        if moved is None and not (event.in_forward and _meets_input(log, tree, event)):
            continue
        if moved is not None and not (event.name.endswith(".tensor") and _is_the_same_each_time(event)):
            continue
        message = (
            "this makes a tensor of Python numbers on the CPU and copies it to the card, in every forward. Register it "
            "as a buffer, or make it on the device once."
            if moved is not None
            else f"{event.name} without device= makes this on the CPU, in every forward: on a card it meets what is "
            "there, and torch refuses. Give it the device of the input."
        )
        yield found(RULE, tree, moved or call, message, *(_fixes(tree, event, call) if moved is None else ()))


def _is_the_same_each_time(event: Event) -> bool:
    """Whether the numbers are written there, or the module's own: of what a call is given no buffer can be made."""
    given = _parameters(event)
    return bool(event.args) and all(
        one.by in _FIXED or (one.by == GIVEN and one.node not in given) for one in within(event.args[0], 6)
    )


_FIXED = (
    CONST,
    ".",
    "list",
    "tuple",
    "listcomp",
    "for",
    "builtins.range",
    "+",
    "-",
    "*",
    "/",
    "//",
    "**",
    EITHER,
    INSTANCE,
)


def _parameters(event: Event) -> set[ast.AST | None]:
    """What the method around it is given, where it is written: a constructor's may be called the same."""
    assert event.function is not None
    arguments = event.function.node.args
    return {*arguments.args[1:], *arguments.kwonlyargs}


def _in_each_forward(event: Event) -> bool:
    """Whether it is written in a module's forward, or in a method that a forward calls."""
    if event.in_forward:
        return True
    function = event.function
    if function is None or function.cls is None or not function.cls.is_module or event.branches_in(None):
        return False
    return event.called_by("forward")


def _moved(tree: Tree, call: ast.Call) -> ast.Call | None:
    """The call that moves it in the same breath, as it is or in another shape."""
    while True:
        attribute = tree.course.places.parent(call)
        outer = tree.course.places.parent(attribute) if isinstance(attribute, ast.Attribute) else None
        if (
            not isinstance(attribute, ast.Attribute)
            or not isinstance(outer, ast.Call)
            or outer.func is not attribute
        ):
            return None
        if attribute.attr in ("to", "cuda", "type_as"):
            return outer
        if attribute.attr not in _SHAPES:
            return None
        call = outer


def _meets_input(log: Log, tree: Tree, event: Event) -> bool:
    """Whether it is computed with something that came in from outside, and is moved nowhere."""
    assert event.value is not None
    if event.name.endswith(".tensor") and not _holds_several(event):
        return False
    if "size" not in event.kwargs and event.args and event.args[0].by == "list" and not event.args[0].args:
        return False
    if event.name in _SIZED and any(arg.const == 0 for arg in event.args):
        return False  # it holds nothing: a placeholder for what is not there
    function, made, meets = event.function, event.value, False
    given = _parameters(event)
    met: set[int] = set()
    for use in tree.course.events[event.index :]:
        if use.root != event.root:
            break
        if use.kind == "call" and use.name in _MOVES and use.on is not None and _comes_from(use.on, made):
            return False
        if use.kind == "call" and use.name in _READS and any(_comes_from(arg, made) for arg in use.args):
            return False
        if use.function is not function:
            continue
        if use.kind == "call" and use.name == "()" and not use.followed and use.on is not None:
            if all(one.by != "torch.nn.CTCLoss" for one in roots(use.on)):  # its targets may lie on the CPU
                meets = meets or any(_comes_from(arg, made) for arg in use.args)  # a layer has it
        elif use.kind == "op" and len(use.args) == 2 and use.name not in _COMPARES:
            for at, (mine, other) in enumerate((use.args, use.args[::-1])):
                is_from_outside = any(
                    one.by == GIVEN and one.node in given for one in flows_into(other, 5, _numbers(other))
                )
                if not is_from_outside or not _comes_from(mine, made, without=met):
                    continue
                if _is_without_dims(log, tree, use, at):
                    met.add(id(use.value))  # it lies where the input is, from here on
                else:
                    meets = True
    return meets


def _is_without_dims(log: Log, tree: Tree, use: Event, at: int) -> bool:
    """Whether an operand is a tensor of no dims, which may meet those of any device: `x * torch.randint(0, 4, (1,))[0]`."""
    span = None if use.node is None else tree.span(use.node)
    ops = [*ops_of(log), *(ops_of(tree.tried) if tree.tried is not None else ())]
    operands = [op.args[at] for op in ops if op.span == span and len(op.args) == 2]
    return any(isinstance(one, Tensor) and one.shape == () for one in operands)


def _numbers(value: Value) -> frozenset[int]:
    """What of all that it is computed from lies on no device, or on the CPU: sizes, `x.shape` and `len(x)`, and what is made of numbers."""
    return frozenset(
        id(one)
        for one in within(value, 6)
        if one.by in _SIZES
        or (one.by == "." and one.name in ("shape", "ndim"))
        or (one.by.startswith("torch.") and one.short() in _MAKES and "device" not in one.kwargs)
    )


def _comes_from(value: Value, made: Value, depth: int = 6, without: Collection[int] = ()) -> bool:
    """Whether a value is computed from a tensor, other than through some; an index may lie on the CPU."""
    waiting = [(value, depth)]
    while waiting:
        one, left = waiting.pop()
        if one is made:
            return True
        if one.by in _ENDS and not one.args and not one.kwargs:
            continue  # one number, without dims
        if one.by.startswith("torch.") and one.short() in _MAKES and "device" in one.kwargs:
            continue  # it has the size from there, and lies elsewhere
        if left and one.by != "()" and id(one) not in without:
            inner = (one.on,) if one.by == "[]" else one.made_of()
            if one.short() == "pack_padded_sequence":
                inner = one.args[:1]  # its lengths have to lie on the CPU
            waiting += [(part, left - 1) for part in inner if part is not None]
    return False


def _holds_several(event: Event) -> bool:
    """Whether a literal has a dim: numbers without one may meet tensors of any device."""
    return bool(event.args) and event.args[0].by in ("list", "tuple", "listcomp")


def _fixes(tree: Tree, event: Event, call: ast.Call) -> Iterator[Fix]:
    """With the device of forward's first tensor, where it has a name of its own."""
    function = event.function
    assert function is not None
    names = [arg.arg for arg in function.node.args.args[1:2]]
    if names:
        yield fix("make it where the input is", add_keyword(tree.text, call, f"device={names[0]}.device"))
