"""Backward twice through one graph, which the first time has freed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.course import Course
from ..program.events import Event, Loop, exclusive
from ..program.graphs import backward_through
from ..program.modes import may_have_grad_off
from ..program.ops import is_loss
from ..program.training import Backward, is_module
from ..program.values import DISPLAYS, GIVEN, INSTANCE, NOTHING, Value, constant, roots
from ..vocabulary import recurrent
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .mending.graphs import added_up, carried, detached, ended, of_this_round, shared
from .telling.found import fix, found, refused_calls

RULE = "double-backward"
_TORCH = "Trying to backward through the graph a second time"
_WHOLE = f"{_TORCH} (or directly access saved tensors after they have already been freed)."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses where the file runs; elsewhere one graph that two backwards surely go through."""
    told: set[ast.AST] = set()
    made = {id(event.value): event for event in tree.course.of_kind("call") if event.value is not None}
    through = {id(back.loss): _modules_in(back.loss, made) for back in tree.training.backwards}
    for node, failure in refused_calls(log, tree, _TORCH):
        first = _first(tree, node)
        told.add(node)
        cuts, related = _cuts(tree, node) if first is None else ((), ())
        if first is None and not cuts:
            seconds = (one for one in tree.training.backwards if one.event.node is node)
            # torch says that they share something, whichever results of a call they come from
            calls: dict[int, frozenset[_Called]] = {
                loss: frozenset((call, None) for call, _ in some) for loss, some in through.items()
            }
            first = next((one for second in seconds if (one := _before(tree, second, calls))), None)
        yield found(
            RULE,
            tree,
            node,
            failure.message,
            *_fixes(tree, first),
            *cuts,
            torch_error=failure.message,
            related=[Related(tree.span(first.node), "the first time")] if first is not None else related,
        )
    for second in tree.training.backwards:
        where = second.event.node
        if where in told or second.manager is not None or _limited(second.event):
            continue
        event, fixes = _before(tree, second, through), None
        if event is None and _is_of_another_round(tree.course, second, made):
            event, fixes = second.event, ()
        if event is None:
            continue
        told.add(where)
        yield found(
            RULE,
            tree,
            where,
            f"{_TORCH}: the first backward has freed what the graph had saved."
            if event is not second.event
            else f"{_TORCH}: the graph reaches into the round before, whose backward has freed what it had saved. "
            "Compute the loss anew in each round; detach what is carried over.",
            *(_fixes(tree, event) if fixes is None else fixes),
            torch_error=_WHOLE,
            related=[Related(tree.span(event.node), "the first time")] if event is not second.event else (),
        )


def _first(tree: Tree, node: ast.Call) -> Event | None:
    """The backward of the same loss before this one."""
    for second in tree.training.backwards:
        if second.event.node is node:
            for first in tree.training.backwards:
                if first.loss is second.loss and first.event.index < second.event.index:
                    return first.event
    return None


def _cuts(tree: Tree, node: ast.Call) -> tuple[tuple[Fix, ...], tuple[Related, ...]]:
    """Where what two backwards share may be detached, and where the first of them stands, or what was handed on."""
    backwards = tree.training.backwards
    for second in (one for one in backwards if one.event.node is node):
        for first in backwards:
            if first.event.index < second.event.index and (nodes := shared(tree, first, second)):
                said = Related(tree.span(first.event.node), "the first time")
                return (*added_up(tree, first, second), *detached(tree, nodes)), (said,)
        if anew := tuple(of_this_round(second, tree)):
            return anew, ()
        names = carried(second, tree)
        if names:
            return tuple(ended(second, tree, names)), tuple(
                Related(tree.span(one), f"{one.id} of the round before") for one in names
            )
    return (), ()


def _before(tree: Tree, second: Backward, through: dict[int, frozenset[_Called]]) -> Event | None:
    """The backward before it, in the same round, that has freed what it goes through."""
    for first in tree.training.backwards:
        if first.event.index >= second.event.index or first.event.root != second.event.root:
            continue
        if _kept(first.event) or exclusive(first.event, second.event) or _limited(first.event):
            continue
        if first.manager is not None or not _surely_both(first.event, second.event):
            continue
        same = first.loss is second.loss and is_loss(second.loss)
        if same or through[id(first.loss)] & through[id(second.loss)]:
            return first.event
    return None


def _surely_both(first: Event, second: Event) -> bool:
    """Whether the first happens in every round of the second, in the same loops."""
    if [id(a) for a in first.loops] != [id(b) for b in second.loops]:
        return False
    if first.node is second.node and [*map(id, first.where)] == [*map(id, second.where)]:
        return _each_in_turn(first, second)  # else one call, of one of two
    return all(any(one is other for other in second.branches_in(None)) for one in first.branches_in(None))


def _each_in_turn(first: Event, second: Event) -> bool:
    """Whether two values are items of what the innermost loop goes over, so that both come."""
    over = first.loops[-1].over if first.loops else None
    over = over.on if over is not None and over.by in (".items", ".values") else over
    items = over.args if over is not None and over.by in DISPLAYS else ()
    return all(any(one is item for item in items) for one in (first.on, second.on))


_Called = tuple[int, object]
"""A call of a module, and which of its results: two of them may come from layers that have nothing in common."""


def _modules_in(loss: Value, made: dict[int, Event]) -> frozenset[_Called]:
    """The calls of modules, made where gradients are on, through which gradients of a loss flow back."""
    found: set[_Called] = set()
    through = list(backward_through(loss))
    parts = {
        id(one.on): _part(one) for one in through if one.by in ("item", "[]", ".") and one.on is not None
    }
    for one in through:
        event = made.get(id(one))
        if one.by != "()" or event is None or event.name != "()" or one.on is None:
            continue
        if _is_network(one.on) and _has_weights(one.on) and not may_have_grad_off(event):
            found.add((id(one), parts.get(id(one))))
    return frozenset(found)


def _part(one: Value) -> object:
    """Which part of a result it is, or the value itself where that is not known."""
    if one.by == "item":
        return one.keys or id(one)
    if one.by == ".":
        return one.name
    return constant(one.args[0]) if one.args and constant(one.args[0]) is not NOTHING else id(one)


def _is_network(layer: Value) -> bool:
    """Whether it is a module, by the letters of a GAN's two too."""
    return is_module(layer) or all(one.by in (GIVEN, ".") and one.name in ("G", "D") for one in roots(layer))


_WEIGHED = ("Linear", "Conv", "Norm", "LSTM", "GRU", "RNN", "Bilinear", "Transformer", "Attention")


def _has_weights(layer: Value) -> bool:
    """Whether a call of it surely saves something for backward: more than a reshaping or a loss."""
    return all(
        one.by == INSTANCE
        or not one.by.startswith("torch.nn.")
        or any(word in one.short() for word in _WEIGHED)
        or (one.short() == "Sequential" and any(_has_weights(inner) for inner in one.args))
        for one in roots(layer)
    )


def _is_of_another_round(course: Course, back: Backward, made: dict[int, Event]) -> bool:
    """Whether each round of a loop surely goes back through what the round before went back through."""
    event = back.event
    loop = event.loops[-1] if event.loops else None
    if loop is None or _kept(event) or event.branches_in(loop) or _leaves(loop):
        return False
    born = made.get(id(back.loss))
    if born is not None and born.name != "()" and born.root == event.root and is_loss(back.loss):
        if not born.inside(loop) and born.index < event.index and born.function is event.function:
            return not may_have_grad_off(born)
    return _carries_over(course, loop, back.loss, made)


def _carries_over(course: Course, loop: Loop, loss: Value, made: dict[int, Event]) -> bool:
    """Whether a loop hands a recurrent layer the state that it gave in the round before: `y, h = model(x, h)`."""
    bound = {event.node: event.args[0] for event in course.of_kind("bind") if event.inside(loop)}
    through = {id(one) for one in backward_through(loss) if one.by == "()"}
    for statement in getattr(loop.node, "body", ()):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        target = statement.targets[0]
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            continue
        names = _names(target.elts[1])
        given = {name for arg in statement.value.args[1:] for name in _names(arg)}
        if not names or not names <= given or _renewed(loop.node, names, target):
            continue
        states = [
            _recurrent(bound.get(node)) for node in ast.walk(target.elts[1]) if isinstance(node, ast.Name)
        ]
        for state in states:
            call = made.get(id(state))
            if state is None or id(state) not in through or call is None or may_have_grad_off(call):
                break
        else:
            return True
    return False


def _recurrent(state: Value | None) -> Value | None:
    """The call of a recurrent layer whose state it is, handed it in turn."""
    while state is not None and state.by == "item":
        state = state.on
    if state is None or state.by != "()" or state.on is None or len(state.args) < 2:
        return None
    return state if _is_recurrent(state.on) else None


def _is_recurrent(layer: Value) -> bool:
    return bool(roots(layer)) and all(
        one.by in recurrent.BUILT or (one.by in (GIVEN, ".") and one.name in ("rnn", "lstm", "gru"))
        for one in roots(layer)
    )


def _names(node: ast.expr) -> set[str]:
    """The names that a name or a tuple of names binds or reads; none of anything else."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return (
        {one.id for one in parts if isinstance(one, ast.Name)}
        if all(isinstance(one, ast.Name) for one in parts)
        else set()
    )


def _renewed(loop: ast.AST, names: set[str], target: ast.expr) -> bool:
    """Whether a loop binds one of some names elsewhere than in a target, or detaches in place."""
    own = set(ast.walk(target))
    return any(
        (
            isinstance(node, ast.Name)
            and node.id in names
            and isinstance(node.ctx, ast.Store)
            and node not in own
        )
        or (isinstance(node, ast.Attribute) and node.attr == "detach_")
        for node in ast.walk(loop)
    )


def _leaves(loop: Loop) -> bool:
    """Whether something in a loop may end it in its first round."""
    return any(isinstance(node, (ast.Break, ast.Return, ast.Raise)) for node in ast.walk(loop.node))


def _limited(event: Event) -> bool:
    """Whether only some leaves are asked for, so that not all of the graph is gone through."""
    return "inputs" in event.kwargs or "**" in event.kwargs


def _kept(event: Event) -> bool:
    retain, create = event.argument("retain_graph", 1), event.argument("create_graph", 2)
    return any(one is not None and one.const is not False for one in (retain, create)) or "**" in event.kwargs


def _fixes(tree: Tree, first: Event | None) -> tuple[Fix, ...]:
    if first is None or not isinstance(first.node, ast.Call):
        return ()
    return (fix("keep the graph the first time", add_keyword(tree.text, first.node, "retain_graph=True")),)
