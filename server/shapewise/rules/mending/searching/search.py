"""All changes that may mend a refusal, the smallest and nearest first."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....edits.statements import replace, source
from ....queries.positional import positional
from ....vocabulary.events import Log
from ....vocabulary.findings import Edit, Finding, Fix
from ...asking.refusals import Refusal, refusals
from ...asking.tree import Tree
from ..dtypes import is_about_dtypes
from .calls import Candidate, called, of_call, said
from .reach import reached
from .scope import Scope
from .values import (
    a_step_aside,
    of_another_dtype,
    of_another_shape,
    of_layer,
    one_of_several,
    other_name,
    other_number,
    other_size,
    other_word,
)

_FAR = 0.6
"""What a name between an expression and the refused call costs."""
_BESIDE = 2.0
"""What a change costs more that is about something else than torch speaks of."""


def search(log: Log, text: str, finding: Finding) -> list[Candidate]:
    """What may be changed so that a call goes through that torch refuses. `log`: that of the file of the finding."""
    tree = Tree(text, log)
    for refusal in refusals(positional(log), tree):
        if refusal.op.span == finding.span and refusal.message == finding.torch_error:
            once: dict[tuple[Edit, ...], Candidate] = {}
            for one in sorted(_candidates(refusal), key=lambda one: one[0]):
                once.setdefault(one[1].edits, one)
            return list(once.values())
    return []


def _candidates(refusal: Refusal) -> Iterator[Candidate]:
    scope = Scope(refusal)
    for given, what in scope.given():
        yield from one_of_several(scope, given, what)
        yield from of_layer(scope, given, what)
        yield from called(scope, given, what)
    yield from _not_in_place(refusal)
    of_shapes, of_dtypes = _off_the_point(refusal)
    for one in reached(refusal):
        far = _FAR * one.depth
        if one.depth:
            yield from _farther(far, called(scope, one.node, None))
        for node in ast.walk(one.node):
            if not isinstance(node, ast.expr):
                continue
            value = scope.value(node)
            if isinstance(node, ast.Call):
                yield from _farther(far, of_call(scope, node))
                yield from _farther(far, said(scope, node))
                yield from _farther(far + of_shapes, other_word(scope, node))
                yield from _farther(far + of_shapes, a_step_aside(scope, node))
            yield from _farther(far, one_of_several(scope, node, value))
            yield from _farther(far + of_dtypes, of_another_dtype(scope, node, value))
            yield from _farther(far + of_shapes, of_another_shape(scope, node, value))
            yield from _farther(far + of_shapes, other_size(scope, node))
            yield from _farther(far + of_shapes, other_name(scope, node, value))
            yield from _farther(far + of_shapes, other_number(scope, node))


def _off_the_point(refusal: Refusal) -> tuple[float, float]:
    """What another shape costs more, and another dtype: as torch speaks of the one or of the other."""
    if is_about_dtypes(refusal):
        return _BESIDE, 0
    return (_BESIDE if refusal.failure.type == "TypeError" else 0), _BESIDE


def _farther(cost: float, found: Iterable[Candidate]) -> Iterator[Candidate]:
    yield from ((cost + own, fix) for own, fix in found)


def _not_in_place(refusal: Refusal) -> Iterator[Candidate]:
    """`x = x + y` for `x += y`."""
    statement = refusal.tree.at(refusal.op.span, ast.AugAssign)
    if statement is not None:
        text = refusal.tree.text
        into = source(text, statement.target)
        sign = ast.unparse(ast.BinOp(ast.Name("a"), statement.op, ast.Name("b"))).split()[1]
        new = f"{into} = {into} {sign} {source(text, statement.value)}"
        yield (
            0.5,
            Fix(f"not in place: {into} = {into} {sign} ...", "unsafe", (replace(text, statement, new),)),
        )
