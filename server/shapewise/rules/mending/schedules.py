"""Schedules that are made of something else than an optimizer, or not told what they wait for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...program.training import is_optimizer
from ...vocabulary.findings import Fix
from ..telling.found import argument_node

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_LOSS = re.compile(r"(^|_)loss(es)?(_|$)")


def of_the_optimizer(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """The optimizer that was made before, in the place of what was given."""
    tree, call = refusal.tree, refusal.tree.at(refusal.op.span, ast.Call)
    given = None if call is None else argument_node(call, "optimizer", 0)
    if given is None:
        return
    places = tree.course.places
    for event in reversed(tree.course.of_kind("call")):
        one = places.parent(event.node) if is_optimizer(event.value) else None
        if not isinstance(one, ast.Assign) or one.lineno >= given.lineno:
            continue
        target = one.targets[0]
        if places.function(one) is places.function(given) and isinstance(target, ast.Name | ast.Attribute):
            name = source(tree.text, target)
            yield Fix(f"give it {name}", "unsafe", (replace(tree.text, given, name),))
            return


def what_it_waits_for(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """The loss that was computed last before."""
    tree, call = refusal.tree, refusal.tree.at(refusal.op.span, ast.Call)
    if call is None or call.args or call.keywords:
        return
    scope = tree.course.places.function(call)
    names = [
        target.id
        for one in tree.course.nodes(ast.Assign)
        if isinstance(one, ast.Assign)
        and one.lineno < call.lineno
        and tree.course.places.function(one) is scope
        for target in one.targets
        if isinstance(target, ast.Name) and _LOSS.search(target.id)
    ]
    if names:
        new = f"{ast.unparse(call.func)}({names[-1]})"
        yield Fix(f"tell it {names[-1]}", "unsafe", (replace(tree.text, call, new),))
