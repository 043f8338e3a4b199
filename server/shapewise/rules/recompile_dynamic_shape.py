"""A compiled function called with one size after another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.events import Loop
from ..program.values import DISPLAYS, EITHER, Value, constant, number, open_ended, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "recompile-dynamic-shape"
_LIMIT = 8
"""`torch._dynamo.config.recompile_limit`."""
_SIZED = frozenset("randn rand zeros ones empty full randint".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of what was compiled without a word about dynamic, on tensors made with sizes from a list."""
    told: set[ast.AST] = set()
    for event in tree.course.calls("()"):
        compiled = options_of(event.on) if event.on is not None else ()
        if len(compiled) != 1 or event.node in told or not _is_compiled(compiled[0]):
            continue
        for loop in event.loops:
            if _has_sizes(loop, _refuses(compiled[0])) and any(
                _sized_by(given, loop) for given in event.inputs()
            ):
                told.add(event.node)
                node = compiled[0].node
                assert isinstance(node, ast.Call)
                refuses = _refuses(compiled[0])
                yield found(
                    RULE,
                    tree,
                    event.node,
                    f"with dynamic=False each size is compiled for itself, and after {_LIMIT} of them torch gives up and "
                    "runs it uncompiled. With dynamic=True one will do."
                    if refuses
                    else "the first size is compiled for itself, and the second one compiles all of it again, with this dim "
                    "dynamic. With dynamic=True it is so from the start.",
                    *([] if refuses else [fix("dynamic=True", add_keyword(tree.text, node, "dynamic=True"))]),
                    related=[Related(tree.span(node), "compiled here")],
                )
                break


def _is_compiled(value: Value) -> bool:
    return (
        value.by == "torch.compile"
        and isinstance(value.node, ast.Call)
        and bool(value.args)
        and ("dynamic" not in value.kwargs or _refuses(value))
        and not open_ended(value)
    )


def _refuses(value: Value) -> bool:
    """Whether it was compiled for fixed sizes only."""
    return constant(value.kwargs.get("dynamic")) is False


def _has_sizes(loop: Loop, many: bool = False) -> bool:
    """Whether a loop goes over two sizes or more that are written down; 0 and 1 are always compiled apart.

    `many`: more than torch compiles one function for.
    """
    over = loop.over
    if over is None:
        return False
    if over.by == "builtins.range":
        return len(over.args) > 1 and not many
    sizes = {number(one) for one in over.args} if over.by in DISPLAYS else set()
    return None not in sizes and len(sizes - {0, 1}) > (_LIMIT if many else 1)


def _sized_by(given: Value, loop: Loop) -> bool:
    """Whether a tensor is made with a size that the loop gives."""
    return any(
        one.by.startswith("torch.")
        and one.short() in _SIZED
        and any(_is_of(size, loop) for arg in one.args for size in within(arg, 2))
        for one in within(given, 4)
    )


def _is_of(size: Value, loop: Loop) -> bool:
    """Whether a value is what the loop gives in each round."""
    items = loop.over.args if loop.over is not None else ()
    if size.by == EITHER:
        return len(size.options) > 1 and all(any(one is item for item in items) for one in size.options)
    return size.by == "for" and size.on is loop.over
