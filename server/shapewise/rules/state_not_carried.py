"""A recurrent layer that is fed its own output, step by step, and each time the state of the beginning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, replace, source
from ..program.liveness import reads, sets
from ..program.values import roots
from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found, found_at

RULE = "state-not-carried"
_CELLS = ("RNNCell()", "GRUCell()", "LSTMCell()")
_CELL_LAYERS = ("torch.nn.RNNCell", "torch.nn.GRUCell", "torch.nn.LSTMCell")
_LAYERS = ("RNN()", "GRU()", "LSTM()")
_CHOOSES = frozenset("Embedding() embedding argmax multinomial sample topk Linear() linear max".split())
"""What stands between an output and the next input where words are written one after the other."""
_GATHERS = frozenset("cat concat stack hstack vstack []= roll pad copy_".split())
"""What may keep earlier steps beside the last, so that the layer sees all of them each time."""
_STEPS = 30


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such layer of which two calls one after the other show it, the second's input made of what the first gave alone."""
    yield from _cells(tree)
    lineage = lineage_of(log)
    last: dict[tuple[object, ...], Op] = {}
    told: set[object] = set()
    for op in ops_of(log, (*_CELLS, *_LAYERS)):
        if not op.modes.rounds or len(op.args) < 2:
            continue
        place = (op.span, _looped(log, tree, op))
        before = last.get(place)
        last[place] = op
        if before is None or op.span in told or before.args[0] != op.args[0] or not _is_one_step(op):
            continue
        if (
            _state(before) != _state(op)
            or _shape(before) != _shape(op)
            or not _is_fed_back(lineage, before, op)
        ):
            continue
        told.add(op.span)
        yield found_at(
            RULE,
            _looped(log, tree, op)[1],
            "each round begins with the same state, and what the layer gives as its new one is never handed on: of all that came before "
            "it knows the last step alone. Give the next round the state of this one.",
            *_named_alike(tree, op),
        )


def _cells(tree: Tree) -> Iterator[Finding]:
    """Each cell that reads step by step what a loop goes over, with a state that the loop does not set."""
    for event in tree.course.calls("()"):
        cells = roots(event.on)
        node, loop = event.node, event.loops[-1].node if event.loops else None
        if not cells or not all(one.by in _CELL_LAYERS for one in cells) or not isinstance(loop, ast.For):
            continue
        if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords:
            continue
        steps = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        state = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
        if not all(
            isinstance(one, ast.Name | ast.Tuple | ast.expr_context) for one in ast.walk(node.args[1])
        ):
            continue
        statement = tree.course.places.statement(node)
        if (
            statement is None
            or not steps & reads(node.args[0])
            or not state
            or steps & (state | reads(node.func))
        ):
            continue
        if state & {
            name
            for one in ast.walk(loop)
            if isinstance(one, ast.stmt) and one is not loop
            for name in sets(one)
        }:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"each round begins with the same {', '.join(sorted(state))}, and what the cell gives is never handed on: no step knows of the "
            "ones before. Give the next round the state of this one.",
            *_handed_on(tree, statement, node),
        )


def _handed_on(tree: Tree, statement: ast.stmt, call: ast.Call) -> Iterator[Fix]:
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    )
    alike = type(target) is type(call.args[1]) and isinstance(target, ast.Name | ast.Tuple)
    if isinstance(statement, ast.Assign) and statement.value is call and alike and target is not None:
        text = f"{source(tree.text, call.args[1]).strip('()')} = {source(tree.text, target)}"
        yield fix(text, insert_after(tree.text, statement, text))


def _named_alike(tree: Tree, op: Op) -> Iterator[Fix]:
    """`y, state = rnn(x, state)` for `y, new = rnn(x, state)` of which `new` is not read."""
    call = tree.at(op.span, ast.Call)
    statement = None if call is None else tree.course.places.parent(call)
    if (
        call is None
        or not isinstance(statement, ast.Assign)
        or len(statement.targets) != 1
        or len(call.args) != 2
    ):
        return
    target, state = statement.targets[0], call.args[1]
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or not isinstance(state, ast.Name):
        return
    new = target.elts[1]
    if short(op.name) not in _LAYERS or not isinstance(new, ast.Name):
        return
    if not any(
        isinstance(one, ast.Name) and one.id == new.id and isinstance(one.ctx, ast.Load)
        for one in tree.course.places.nodes
    ):
        yield fix(f"carry {state.id} on", replace(tree.text, new, state.id))


def _state(op: Op) -> tuple[Value, ...]:
    """The state that a call was given."""
    return tuple(op.args[2:]) + tuple(value for name, value in op.kwargs if name in ("hx", "h_0"))


def _looped(log: Log, tree: Tree, op: Op) -> tuple[int, Span]:
    """The frame of the loop around an op, and what in it leads to the op: itself, or the call of a module that it is in."""
    frame, span = log.frames[op.frame], op.span
    while frame.parent is not None and frame.site is not None and frame.scope.endswith(".forward"):
        call = tree.at(span, ast.Call)
        if call is not None and any(
            isinstance(one, (ast.For, ast.While)) for one in tree.course.places.above(call)
        ):
            break
        span, frame = frame.site, log.frames[frame.parent]
    return frame.id, span


def _shape(op: Op) -> object:
    return op.args[1].shape if isinstance(op.args[1], Tensor) else None


def _is_one_step(op: Op) -> bool:
    given = op.args[1]
    if not isinstance(given, Tensor):
        return False
    return short(op.name) in _CELLS or (len(given.shape) == 3 and 1 in given.shape[:2])


def _is_fed_back(lineage: Lineage, before: Op, op: Op) -> bool:
    """Whether all that an input knows of the rounds before is what the call before gave, by a choice or a layer."""
    gave = {one.id for one in tensors(before.result)}
    earlier = {one.id for one in tensors(before.args[1])}
    waiting, seen, chosen, met = [*tensors(op.args[1])], set[int](), False, False
    while waiting:
        one = waiting.pop()
        if one.id in seen:
            continue
        seen.add(one.id)
        if one.id in gave:
            met = True
            continue
        maker = lineage.maker(one)
        if one.id in earlier or len(seen) > _STEPS:
            return False
        if maker is None:
            continue
        if short(maker.name) in (*_CELLS, *_LAYERS) or (
            short(maker.name) in _GATHERS and not _joins_features(maker)
        ):
            return False
        chosen = chosen or short(maker.name) in _CHOOSES
        waiting += [inner for arg in maker.args for inner in tensors(arg)]
    return met and chosen


def _joins_features(op: Op) -> bool:
    """Whether it is a `cat` along the last dim: of the same step, if the result is no larger each time."""
    dim = op.argument("dim", "axis", at=1)
    rank = len(op.result.shape) if isinstance(op.result, Tensor) else 0
    return short(op.name) in ("cat", "concat") and isinstance(dim, Scalar) and dim.value in (-1, rank - 1)
