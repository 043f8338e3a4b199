"""The changes that may mend a refusal, the likeliest first: in the refused call, and in what made its operands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...queries.lineage import tensors
from ...vocabulary.events import Bound, Op, Sizes, Tensor
from ...vocabulary.findings import Fix
from .batch_first import batch_first
from .by_words import by_words
from .change import Change
from .changes import behind, of_another, of_call, other_sizes, without
from .dtypes import casts, is_about_dtypes
from .integers import whole_division
from .last_batch import without_the_last
from .lists import stacked
from .longer import of_longer
from .neighbours import lacking
from .outputs import only_the_outputs
from .spatial import as_large_as_before
from .trial import fits

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_FAR = 12
"""Ops behind the refused one that may be what is wrong."""
_BEFORE = 60
"""Ops behind it that a trial goes through."""
_MOST = 5
"""Changes that are tried for one refusal."""
_OUT = 3
"""Calls around it whose arguments may be what is wrong."""


class Mends(NamedTuple):
    """Repairs that are likelier than those that a rule knows for the refused call, and others."""

    first: tuple[Fix, ...] = ()
    rest: tuple[Fix, ...] = ()


def mends(refusal: Refusal) -> Mends:
    """What neighbours have and sizes that plainly stand in the wrong order; then what fits as far as shapes tell, or may."""
    if refusal.is_of_two_devices:
        return Mends()
    before = _before(refusal)
    places = list(_places(refusal, before))
    of_dtypes = is_about_dtypes(refusal)
    smaller = [*without_the_last(refusal)]
    first = smaller if refusal.message.startswith("Expected hidden") else []
    first += [*by_words(refusal), *only_the_outputs(refusal), *stacked(refusal), *whole_division(refusal)]
    first += [fix for node in _chains(places) for fix in lacking(node, refusal.tree, of_dtypes)]
    likely, maybe = list[Fix](), list[Fix]()
    if of_dtypes:
        likely += casts(refusal, places)
    way = [op for op in refusal.lineage.in_order(before) if op is not refusal.op]
    for change in () if of_dtypes else (*batch_first(refusal, before), *_changes(refusal, places)):
        fit = fits(change, refusal.op, way, refusal.lineage)
        if fit is not False and change.is_plain:
            first.append(change.fix)
        elif fit:
            likely.append(change.fix)
        elif fit is None and change.is_of_a_call:
            maybe.append(change.fix)
    likely += [*as_large_as_before(refusal, before), *smaller]
    rest = [fix for fix in dict.fromkeys([*likely, *maybe]) if fix not in first]
    return Mends(tuple(dict.fromkeys(first))[:_MOST], tuple(rest[:_MOST]))


def _before(refusal: Refusal) -> list[Op]:
    """The refused call and what led to it, nearest first."""
    found, seen = [refusal.op], set[int]()
    for op in found:
        given = [one for arg in (*op.args, *dict(op.kwargs).values()) for one in tensors(arg)]
        for tensor in (*given, *(refusal.failure.operands if op is refusal.op else ())):
            maker = refusal.lineage.maker(tensor)
            if maker is not None and id(maker) not in seen and len(found) < _BEFORE:
                seen.add(id(maker))
                found.append(maker)
    return found


def _places(refusal: Refusal, ops: list[Op]) -> Iterator[tuple[Op, ast.expr]]:
    """Where the nearest of them stand in this file: a place each."""
    told = set[object]()
    for op in ops[: _FAR + 1]:
        node = refusal.tree.at(op.span, ast.expr) if refusal.here(op) and op.span not in told else None
        if node is not None:
            told.add(op.span)
            yield op, node


def _chains(places: list[tuple[Op, ast.expr]]) -> Iterator[ast.expr]:
    """The expressions that may lack something: what the refused call is given, and the places."""
    _, refused = places[0] if places else (None, None)
    for node in refused.args if isinstance(refused, ast.Call) else ():
        yield from node.elts if isinstance(node, (ast.List, ast.Tuple)) else (node,)
    yield from (node for _, node in places)


def _changes(refusal: Refusal, places: list[tuple[Op, ast.expr]]) -> Iterator[Change]:
    text = refusal.tree.text
    for op, node in places:
        if isinstance(node, ast.Call):
            yield from of_call(op, node, text, refusal.lineage)
    yield from of_longer(refusal)
    for tensor in refusal.operands:
        written = refusal.node_of(tensor)
        if written is not None:
            for fix, shape in behind(written, tensor, text):
                yield Change(fix, given={tensor.id: shape}, is_of_a_call=False)
    yield from _of_arguments(refusal)
    for op, node in places[1:]:
        if isinstance(op.result, Tensor):
            for fix, shape in behind(node, op.result, text):
                yield Change(fix, op.span, lambda _, shape=shape: shape, is_of_a_call=False)  # type: ignore[misc]
    for op, node in places:
        yield from without(op, node, text)
    wanted = {int(one) for one in re.findall(r"\d+", refusal.message)}
    named = _named(refusal)
    for node in (*(node for _, node in places), *_bound(refusal)):
        yield from of_another(refusal.op, node, text, named, wanted)
        yield from other_sizes(refusal.op, node, text)


def _named(refusal: Refusal) -> dict[str, Sizes]:
    """The tensors that have a name where the call stands."""
    return {
        event.name: event.value.shape
        for event in refusal.log.events
        if isinstance(event, Bound) and event.frame == refusal.op.frame and isinstance(event.value, Tensor)
        if event.kind in ("binding", "parameter")
    }


def _bound(refusal: Refusal) -> Iterator[ast.expr]:
    """What is written for the names of operands that no op is known to have made."""
    given = [one for arg in (*refusal.op.args, *dict(refusal.op.kwargs).values()) for one in tensors(arg)]
    ids = {one.id for one in given if refusal.lineage.maker(one) is None}
    for event in refusal.log.events if ids else ():
        if isinstance(event, Bound) and event.kind == "binding" and isinstance(event.value, Tensor):
            node = refusal.tree.at(event.span, ast.Name) if event.value.id in ids else None
            statement = None if node is None else refusal.tree.course.places.statement(node)
            if isinstance(statement, ast.Assign):
                yield statement.value


def _of_arguments(refusal: Refusal) -> Iterator[Change]:
    """Something behind an argument of the calls around the refused one, nearest first."""
    frame = refusal.log.frames[refusal.op.frame]
    for _ in range(_OUT):
        if frame.parent is None or frame.site is None:
            return
        around = refusal.log.frames[frame.parent]
        call = refusal.tree.at(frame.site, ast.Call) if around.file == refusal.log.file else None
        if call is not None and not any(isinstance(arg, ast.Starred) for arg in call.args):
            for node, tensor in zip(call.args, _parameters(refusal, frame.id)):
                if isinstance(tensor, Tensor):
                    for fix, shape in behind(node, tensor, refusal.tree.text):
                        yield Change(fix, given={tensor.id: shape}, within=frame.id, is_of_a_call=False)
        frame = around


def _parameters(refusal: Refusal, frame: int) -> Iterator[object]:
    """What a frame was given, one parameter after the other, without `self`."""
    for event in refusal.log.events:
        if isinstance(event, Bound) and event.frame == frame and event.kind == "parameter":
            if event.name not in ("self", "cls"):
                yield event.value
