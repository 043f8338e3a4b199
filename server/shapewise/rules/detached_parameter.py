"""A detached copy handed to an optimizer: it requires no grad, so that nothing is learned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.events import Event
from ..program.training import is_optimizer
from ..program.values import Value, contents
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "detached-parameter"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer of torch's that is given what was detached just before."""
    course = tree.course
    switched = [one for event in course.calls(".requires_grad_") for one in _in_place(event.on)]
    switched += [event.on for event in course.of_kind("set") if event.name == "requires_grad" and event.on]
    for event in course.events:
        if event.kind != "call" or not event.name.startswith("torch.optim.") or not is_optimizer(event.value):
            continue
        given = event.argument("params", 0)
        for one in contents(given) if given is not None else ():
            source_of = _detached(one)
            new = source_of is None and _is_new(one) and _is_used(tree, one, event)
            if (source_of is None and not new) or any(one is other for other in switched):
                continue
            node = (source_of or one).node
            assert isinstance(node, ast.Call)
            wrap = name_for(tree, "torch.nn.Parameter")
            fixes = []
            if wrap is not None:
                text = f"{wrap}({source(tree.text, node)})"
                fixes = [fix("make it a parameter", replace(tree.text, node, text))]
            yield found(
                RULE,
                tree,
                node,
                f"{'a new tensor' if new else 'detach() gives a tensor that'} does not require grad, and the optimizer "
                f"gets it: {one.name or 'it'} never changes. Wrap it in nn.Parameter, or call requires_grad_().",
                *fixes,
                related=[Related(tree.span(event.node), "the optimizer")],
            )
    yield from _kept(tree)


def _in_place(value: Value | None) -> Iterator[Value]:
    """It and what it was before ops in place, which give back the same tensor: `z.div_(n).requires_grad_()`."""
    while value is not None:
        yield value
        value = value.on if value.by.startswith(".") and value.by.endswith("_") else None


def _kept(tree: Tree) -> Iterator[Finding]:
    """Every attribute of a module that is a new parameter, detached, or a detached copy of one under its own name."""
    wrap = name_for(tree, "torch.nn.Parameter")
    for event, _, value in tree.course.attributes_made():
        whole, one = _detached(value), value
        while one.by.startswith(".") and len(one.by) > 1 and one.on is not None:
            one = one.on
        copied = one.by == "." and one.name == event.name and event.name in ("weight", "bias")
        if whole is None or not (copied or one.by == "torch.nn.Parameter"):
            continue
        assert isinstance(whole.node, ast.Call)
        fixes = []
        if wrap is not None:
            text = f"{wrap}({source(tree.text, whole.node)})"
            fixes = [fix("make it a parameter", replace(tree.text, whole.node, text))]
        yield found(
            RULE,
            tree,
            whole.node,
            f"detach() gives a tensor that does not require grad: {event.name} is no parameter, is not moved with the module, "
            "not saved and never trained. Wrap it in nn.Parameter, or register it as a buffer.",
            *fixes,
        )


def _detached(value: Value) -> Value | None:
    """The call that it is, if it ends in detach or in a copy of what was detached."""
    one: Value | None = value
    while one is not None and one.by in (".clone", ".to", ".float", ".contiguous", ".cpu", ".cuda"):
        one = one.on
    if one is not None and isinstance(value.node, ast.Call):
        copied = one.by == "." and one.name == "data" and value.by == ".clone"
        if one.by == ".detach" or copied:
            return value
    return None


def _is_used(tree: Tree, value: Value, made: Event) -> bool:
    """Whether something is computed of a tensor beside the optimizer: not of one that only stands in for parameters."""
    return any(
        use is not made and use.kind in ("op", "call") and use.name not in (".append", "builtins.print")
        for use in tree.course.uses(value)
    )


def _is_new(value: Value) -> bool:
    """Whether it is a new tensor of numbers that never required grad."""
    one: Value | None = value
    while one is not None and one.by in (".clone", ".to", ".float", ".contiguous", ".cpu", ".cuda", *_FILLS):
        one = one.on
    if one is None or not one.by.startswith("torch.") or one.by.count(".") != 1 or one.short() not in _NEW:
        return False
    return not {"requires_grad", "**"} & one.kwargs.keys() and isinstance(value.node, ast.Call)


_FILLS = (".normal_", ".uniform_", ".zero_", ".fill_", ".mul_", ".add_")
_NEW = frozenset("zeros ones full rand randn empty zeros_like ones_like rand_like randn_like".split())
