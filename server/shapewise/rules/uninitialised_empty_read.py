"""Memory read before anything was written to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.course import Course, constructs
from ..program.events import Event
from ..program.values import INSTANCE, Value, constant, contents, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "uninitialised-empty-read"
_READS = frozenset(
    "sum mean max min std var exp log sqrt abs norm softmax argmax item tolist matmul mm tanh sigmoid relu cos sin "
    "cat stack concat hstack vstack".split()
)
_CHANGES = frozenset(
    "add_ sub_ mul_ div_ addmm_ baddbmm_ addmv_ addcmul_ addcdiv_ lerp_ index_add_ scatter_add_ scatter_reduce_ cumsum_".split()
)
"""What is written there depends on what was there."""
_VIEWS = frozenset(
    ".view .reshape .squeeze .unsqueeze .expand .t .transpose .permute .flatten .detach .contiguous .clone .numpy".split()
)
_OPERATORS = frozenset("+ - * / @ ** // %".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.empty whose first use computes with what is in it."""
    for event in tree.course.calls("torch.empty", "torch.empty_like", ".new_empty"):
        made, node = event.value, event.node
        if made is None or not isinstance(node, ast.Call) or _has_no_items(event):
            continue
        if made.name.startswith("pad"):
            continue  # whatever is in it, it is cut off again
        uses = [
            use
            for use in tree.course.uses(made)
            if use.index > event.index and use.node is not node and not _keeps(use) and use.kind != "bind"
        ]
        if (
            not uses
            or _is_gathered(tree, made, uses[0])
            or _is_cut_off(uses[0])
            or not _reads(uses[0], made, tree.course)
            or not all(_is_seen(one, uses[0]) for one in _sets(tree, made))
            or _is_loaded(tree, made)
        ):
            continue
        if uses[0].branches_in(None) != event.branches_in(None):
            continue
        fixes = []
        if isinstance(node.func, ast.Attribute):
            instead = node.func.attr.replace("empty", "zeros")
            fixes = [fix(f"use {instead}", replace_attribute(tree.text, node.func, instead), safe=True)]
        yield found(
            RULE,
            tree,
            node,
            "torch.empty gives memory with whatever was in it, and that is computed with.",
            *fixes,
            related=[Related(tree.span(uses[0].node), "read here")],
        )


def _sets(tree: Tree, made: Value) -> list[Event]:
    """Where it becomes an attribute."""
    return [use for use in tree.course.uses(made) if _keeps(use)]


def _keeps(use: Event) -> bool:
    return use.kind == "set" or use.name == ".register_buffer"


def _is_gathered(tree: Tree, made: Value, read: Event) -> bool:
    """Whether other processes write to it before: `dist.all_gather([empty, ...], x)`."""
    return any(
        event.index < read.index and event.name.startswith("torch.distributed.") and _holds(event, made)
        for event in tree.course.of_kind("call")
    )


def _is_cut_off(read: Event) -> bool:
    """Whether it is a place behind the others for what belongs nowhere, and the function narrows what it gives."""
    function = read.function
    return read.name == "torch.cat" and function is not None and ".narrow(" in ast.unparse(function.node)


def _holds(event: Event, made: Value) -> bool:
    given = [one for arg in event.inputs() for one in contents(arg)]
    return any(one is made or (one.by == "listcomp" and one.args[-1:] == (made,)) for one in given)


def _is_loaded(tree: Tree, made: Value) -> bool:
    """Whether it is a buffer, and a checkpoint may fill it."""
    return "load_state_dict" in tree.text and any(one.kind == "call" for one in _sets(tree, made))


def _is_seen(kept: Event, use: Event) -> bool:
    """Whether nothing can be written to an attribute of an object of the file between its constructor and a use."""
    function, owner = kept.function, kept.on
    return (
        owner is not None
        and owner.by == INSTANCE
        and function is not None
        and (function.name == "__init__" or constructs(kept))
        and kept.root == use.root
    )


def _has_no_items(event: Event) -> bool:
    return any(one.const == 0 for arg in event.args for one in contents(arg))


def _reads(use: Event, made: Value, course: Course) -> bool:
    if "out" in use.kwargs and any(one is made for one in contents(use.kwargs["out"])):
        return False
    if use.kind == "augmented":
        return True
    if use.kind == "op":  # not of a list that it is in
        return use.name in _OPERATORS and any(one is made for arg in use.args for one in options_of(arg))
    seen_as = use.kind == "call" and use.on is made and use.name in _VIEWS
    if (use.kind == "index" or seen_as) and use.value is not None:  # what is done with the part or view first
        part = use.value
        then = [one for one in course.uses(part) if one.index > use.index and one.kind != "bind"]
        if not then or any(use.index < one.index < then[0].index for one in course.uses(made)):
            return False
        return then[0].kind != "index" and _reads(then[0], part, course)
    name = use.name.rsplit(".", 1)[-1]
    if use.kind == "call" and use.on is made and use.name.startswith("."):
        if name in _CHANGES or (name == "index_put_" and constant(use.argument("accumulate", 2)) is True):
            return True
    return use.kind == "call" and name in _READS
