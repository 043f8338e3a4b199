"""A part of a model that is put into eval mode once, where it is built, and into train mode with all of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.definitions import Class, Function
from ..program.events import Entered, Event
from ..program.layers import has_layer, minds_mode
from ..program.modes import mode_calls
from ..program.values import INSTANCE, constant, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "eval-undone-by-train"
_MINDS = re.compile(r"\b(Dropout|BatchNorm)\w*\(")
"""Layers that mind the mode, in a file that builds the part in a way that is not followed."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `self.part = part.eval()` in the `__init__` of a module whose own `train()` is called, and that does not override it."""
    course = tree.course
    modes = mode_calls(course)
    told: set[ast.AST] = set()
    for event, mode in modes:
        function = event.function
        cls = function.cls if function is not None else None
        if mode is not False or function is None or cls is None or function.name != "__init__":
            continue
        own = cls.method("train")
        if not cls.is_module or event.on is None or event.node in told:
            continue
        if own is not None and "super().train(" not in ast.unparse(own.node):
            continue
        if own is not None and re.search(r"eval|train\(False|\.training", ast.unparse(own.node)):
            continue
        if any(not base.startswith("torch.nn.") for base in cls.foreign()):
            continue  # what another library's class does with modes is not seen
        kept = [
            one
            for one in course.of_kind("set")
            if one.function is function and one.args and same(one.args[0], event.on)
        ]
        minds = has_layer(event.on, minds_mode)
        if not kept or not (_MINDS.search(tree.text) if minds is None else minds):
            continue
        again = [
            one
            for one, way in modes
            if way is not True
            and (one.root != event.root or one.index > event.index)
            and (one.function is None or one.function.name != "__init__")
            and one.on is not None
            and (same(one.on, event.on) or one.function is not None and one.function.cls is cls)
        ]
        trained = next((one for one in course.calls(".train") if _is_of_the_whole(one, cls, own)), None)
        if again or trained is None:
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            f"self.{kept[0].name} is a part of this module: train() of the whole puts it back into train mode, and its dropout drops and its "
            "batch norm learns again. Override train() to keep it in eval mode, or call eval() on it after train().",
            related=[Related(tree.span(trained.node), "train() of the whole")],
        )


def _is_of_the_whole(event: Event, cls: Class, own: Function | None) -> bool:
    """Whether it puts an object of a class into train mode, by the class's own method if it has one."""
    if own is not None:
        return event.function is own and any(
            isinstance(one, Entered) and one.function is own and one.site is not None for one in event.where
        )
    if (event.args or event.kwargs) and constant(event.argument("mode", 0)) is not True:
        return False
    return any(root.by == INSTANCE and root.cls is cls for root in roots(event.on))
