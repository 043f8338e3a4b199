"""`h[0]` of a recurrent network of several layers, taken for what the last of them has come to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.statements import replace
from ..queries.lineage import lineage_of, short, tensors
from ..queries.ops import ops_of
from ..queries.values import integer
from ..vocabulary import recurrent
from ..vocabulary.events import Bound, Group, Log, Op, Tensor
from ..vocabulary.findings import Edit, Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "state-of-first-layer"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each final state of which only the parts of the first layer are read, and that goes nowhere else, in no round of a loop."""
    states = {
        made.state.id: (op, made)
        for op in ops_of(log)
        if op.name in recurrent.RUN and (made := _made(op)) is not None and made.layers > 1
    }
    reads: dict[Span, list[tuple[int, Op]]] = {}
    elsewhere = set[Span]()
    for event in log.events if states else ():
        if isinstance(event, Bound) and event.kind == "return":
            elsewhere.update(states[one.id][0].span for one in tensors(event.value) if one.id in states)
        if not isinstance(event, Op) or event.failure is not None:
            continue
        given = (one for arg in (*event.args, *dict(event.kwargs).values()) for one in tensors(arg))
        for made_by, made in (states[one.id] for one in given if one.id in states):
            part = _part(event)
            if part is None:
                elsewhere.add(made_by.span)
            else:
                at = part % (made.layers * made.directions)
                reads.setdefault(made_by.span, []).append((at, event))
    lineage = lineage_of(log)
    for op, made in {op.span: (op, made) for op, made in states.values()}.values():
        found = reads.get(op.span, ())
        if found and op.span not in elsewhere and max(at for at, _ in found) < made.directions:
            yield _finding(
                list({read.span: read for _, read in found}.values()), made, lineage.builder(op.args[0]), tree
            )


class _Made(NamedTuple):
    """The final state that a network gives, and of how many layers and directions it is."""

    state: Tensor
    layers: int
    directions: int


def _made(op: Op) -> _Made | None:
    if not isinstance(op.result, Group) or len(op.result.items) != 2:
        return None
    # What comes out is packed where the input is: its numbers are the first of several tensors.
    out, state = (next(tensors(one), None) for one in op.result.items)
    if out is None or state is None or not state.shape or not isinstance(state.shape[0], int):
        return None
    directions = 1 if out.shape[-1] == state.shape[-1] else 2
    return _Made(state, state.shape[0] // directions, directions)


def _part(op: Op) -> int | None:
    """The index of `h[0]` and `h[0, :, :]`."""
    if short(op.name) != "[]" or len(op.args) < 2 or not isinstance(op.args[0], Tensor):
        return None
    first = op.args[1].items[0] if isinstance(op.args[1], Group) and op.args[1].items else op.args[1]
    return integer(first)


def _finding(reads: list[Op], made: _Made, built: Op | None, tree: Tree) -> Finding:
    order = "layer by layer" if made.directions == 1 else "layer by layer, both directions of each"
    last = "[-1]" if made.directions == 1 else "[-2] and [-1]"
    return found_at(
        RULE,
        reads[0].span,
        f"the state {list_of(made.state.shape)} holds {made.layers} layers, {order}: this is the first of them. What the last has "
        f"come to is in {last}.",
        *_fixes(reads, made.directions, tree),
        related=[
            *(Related(op.span, "of the first layer, too") for op in reads[1:]),
            *([Related(built.span, f"{made.layers} layers")] if built is not None else ()),
        ],
    )


def _fixes(reads: list[Op], directions: int, tree: Tree) -> tuple[Fix, ...]:
    """All of the indices, counted from the end."""
    edits = dict[object, Edit]()
    for op in reads:
        node = tree.at(op.span, ast.Subscript)
        index = node.slice if node is not None else None
        first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
        if not isinstance(first, ast.Constant) or type(first.value) is not int:
            return ()
        edits[op.span] = replace(tree.text, first, str(first.value - directions))
    return (Fix("of the last layer", "unsafe", tuple(edits.values())),)
