"""Letters of an einsum in another order, or one more or fewer of them, as the sizes of its operands have it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...vocabulary.events import Scalar, Sizes, Tensor
from ...vocabulary.findings import Fix

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_MOST = 6
"""Letters of a term: their orders are tried one by one."""


def other_letters(refusal: Refusal) -> Iterator[Fix]:
    """The change of one term that makes all sizes agree; of two, that of the later operand first."""
    equation = refusal.op.args[0] if refusal.op.args else None
    shapes = [arg.shape for arg in refusal.op.args if isinstance(arg, Tensor)]
    call = refusal.tree.at(refusal.op.span, ast.Call)
    node = call.args[0] if call is not None and call.args else None
    if (
        not isinstance(equation, Scalar)
        or not isinstance(equation.value, str)
        or not isinstance(node, ast.Constant)
    ):
        return
    left, _, right = equation.value.partition("->")
    terms = [term.strip() for term in left.split(",")]
    plain = all(term.isalpha() for term in terms) and set(right.strip()) <= set("".join(terms))
    if not plain or len(terms) != len(shapes) or node.value != equation.value:
        return
    made = {
        (at, term)
        for at, shape in enumerate(shapes)
        for term in _terms(terms, at, len(shape or ()))
        if _agree([*terms[:at], term, *terms[at + 1 :]], shapes)
        and set(right.strip()) <= set("".join([*terms[:at], term, *terms[at + 1 :]]))
    }
    for at, term in sorted(made, reverse=True) if len(made) <= 2 else ():
        written = [*left.split(",")]
        written[at] = written[at].replace(terms[at], term)
        new = source(refusal.tree.text, node).replace(left, ",".join(written))
        yield Fix(f"{term} for {terms[at]}", "unsafe", (replace(refusal.tree.text, node, new),))


def _terms(terms: Sequence[str], at: int, rank: int) -> Iterator[str]:
    """What may be written for a term of a tensor with so many dims."""
    term = terms[at]
    if len(term) > _MOST:
        return
    if rank == len(term):
        yield from map("".join, itertools.permutations(term))
    elif rank == len(term) + 1:
        for letter in sorted(set("".join(terms)) - set(term)):
            yield from (term[:place] + letter + term[place:] for place in range(rank))
    elif rank == len(term) - 1:
        yield from (term[:place] + term[place + 1 :] for place in range(len(term)))


def _agree(terms: Sequence[str], shapes: Sequence[Sizes]) -> bool:
    sizes: dict[str, object] = {}
    for term, shape in zip(terms, shapes):
        if shape is None or len(term) != len(shape):
            return False
        for letter, size in zip(term, shape):
            if not isinstance(size, int) or sizes.setdefault(letter, size) != size:
                return False
    return True
