"""The best weights kept by reference: training goes on and changes them."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from ..edits.statements import replace, source
from ..program.events import Event
from ..program.training import is_module, made_in
from ..program.values import Value, contents, options_of, same, within
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.events import Value as Held
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found, found_at

RULE = "best-state-aliased"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every state_dict kept in a training loop and used after it, without a copy."""
    yield from _averaged_with_themselves(log, tree)
    course, training = tree.course, tree.training
    told: set[ast.AST] = set()
    for event, state in _kept(tree, "bind", "set"):
        if not event.loops:
            continue
        step = next((s for s in training.steps if any(s.event.inside(loop) for loop in event.loops)), None)
        if step is None:
            continue
        loop = next(loop for loop in event.loops if step.event.inside(loop))
        if state.on is not None and made_in(course, state.on, loop):
            continue  # the next round has another model
        later = event.kind == "set" or any(not use.inside(loop) for use in _uses(tree, state, event))
        node = state.node
        if not later or not isinstance(node, ast.Call) or node in told:
            continue
        told.add(node)
        yield _finding(tree, node, Related(tree.span(step.event.node), "changes them"))
    for event in course.calls(".append"):
        for state in _states(event.args[0]) if event.args else ():
            node = state.node
            kept = is_module(state.on)
            loops = [one for one in event.loops if any(s.event.inside(one) for s in training.steps)]
            if loops and state.on is not None and made_in(course, state.on, loops[0]):
                continue
            after = loops and any(not use.inside(loops[0]) for use in course.uses(event.on or state)[1:])
            if kept and after and isinstance(node, ast.Call) and node not in told:
                told.add(node)
                yield _finding(tree, node)
    for event in course.calls(".load_state_dict"):
        given = event.argument("state_dict", 0)
        for state in map(_state, options_of(given)) if given is not None else ():
            node = state.node
            if isinstance(node, ast.Call) and node not in told and _is_its_own(tree, state, event):
                told.add(node)
                yield _finding(tree, node, Related(tree.span(event.node), "restores nothing"))
    for event in course.calls(".load_state_dict"):
        own = event.argument("state_dict", 0)
        is_asked = not isinstance(course.places.parent(event.node), ast.Expr)  # which keys fit
        if is_asked or own is None or own.on is None or own.on is not event.on:
            continue
        loads = [one for one in course.calls(".load_state_dict") if one.node is event.node]
        if _is_read_at_once(event, own) and all(one.on is own.on for one in loads):
            yield found(
                RULE,
                tree,
                event.node,
                "a model is given its own weights: nothing is copied. Those of another one were meant, or one that was to be another "
                "is the same object.",
            )
    for event, state in _kept(tree, "set"):
        node = state.node
        if _is_kept_as_best(event) and isinstance(node, ast.Call) and node not in told:
            if not _saved(tree, state):
                told.add(node)
                yield _finding(tree, node)


def _is_read_at_once(load: Event, state: Value) -> bool:
    """Whether a state is read in the very call that loads it, and is what that is given: nothing has changed it on the way."""
    return (
        state.by == ".state_dict"
        and isinstance(load.node, ast.Call)
        and any(one is state.node for one in (*load.node.args, *(each.value for each in load.node.keywords)))
    )


def _averaged_with_themselves(log: Log, tree: Tree) -> Iterator[Finding]:
    """Weights that are to follow others, and are the same tensors: `p.mul_(0.99).add_(q, alpha=0.01)`, `p.lerp_(q, 0.01)`."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("add_", "lerp_", "copy_")):
        pair = op.args[:2]
        if short(op.name) == "copy_" and _is_a_blend_of(lineage, pair, tree):
            pair = (pair[0], pair[0])
        elif short(op.name) == "lerp_" and _are_one_memory(pair):
            pair = (pair[0], pair[0])  # detached, each time anew
        elif len(pair) == 2 and isinstance(pair[0], Tensor) and not pair[0].requires_grad:
            continue
        if len(pair) != 2 or not isinstance(pair[0], Tensor) or pair[0] != pair[1] or not pair[0].leaf:
            continue
        if short(op.name) == "add_" and not _is_share(op, log):
            continue
        yield found_at(
            RULE,
            op.span,
            "the weights are averaged with themselves: both are the parameters of one model, and nothing is kept apart. "
            "copy.deepcopy(model) makes one that can lag behind.",
        )


def _are_one_memory(pair: Sequence[Held]) -> bool:
    """Whether two tensors lie in the same memory, and look at it in the same way."""
    one, other = (*pair, None, None)[:2]
    return (
        isinstance(one, Tensor)
        and isinstance(other, Tensor)
        and (one.storage, one.shape, one.stride) == (other.storage, other.shape, other.stride)
        and one.offset == other.offset
    )


def _is_a_blend_of(lineage: Lineage, pair: Sequence[Held], tree: Tree) -> bool:
    """Whether weights are set to shares of two tensors that both lie in their own memory: `0.01 * p + 0.99 * p`."""
    own, total = (*pair, None, None)[:2]
    op = lineage.maker(total) if isinstance(total, Tensor) else None
    if op is None or short(op.name) not in ("+", "add") or not isinstance(own, Tensor) or not own.leaf:
        return False
    shares = [lineage.maker(part) for part in op.args]
    given = [
        next((one for one in share.args if isinstance(one, Tensor)), None)
        for share in shares
        if share is not None and short(share.name) in ("*", "mul") and len(share.args) == 2
    ]
    node = tree.at(op.span, ast.BinOp)
    if node is None or {ast.unparse(one) for one in _owners(node.left)} & {
        ast.unparse(one) for one in _owners(node.right)
    }:
        return False  # the same is written twice, which is another mistake
    return len(given) == 2 and all(one is not None and one.storage == own.storage for one in given)


def _owners(node: ast.expr) -> list[ast.expr]:
    """The sides of a product that are no numbers alone."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node]
    return [one for one in sides if not isinstance(one, ast.Constant)]


def _is_share(op: Op, log: Log) -> bool:
    """Whether it gives back what the same expression took away before: not a decay of weights."""
    alpha = op.argument("alpha", at=2)
    if not isinstance(alpha, Scalar) or not isinstance(alpha.value, float):
        return False
    return any(
        isinstance(one.args[1], Scalar)
        and isinstance(one.args[1].value, float)
        and math.isclose(one.args[1].value + alpha.value, 1.0)
        for one in ops_of(log, ("mul_",))
        if len(one.args) > 1 and one.args[0] == op.args[0]
    )


def _kept(tree: Tree, *kinds: str) -> Iterator[tuple[Event, Value]]:
    """Where a name or an attribute is given a state_dict, alone or in a display."""
    for kind in kinds:
        for event in tree.course.of_kind(kind):
            for state in _states(event.args[0]):
                yield event, state


def _states(value: Value) -> Iterator[Value]:
    """The state_dicts that a value refers to."""
    for one in map(_state, contents(value)):
        if one.by == ".state_dict" and not one.args and not one.kwargs and one.on is not None:
            yield one


def _state(value: Value) -> Value:
    """The state that a shallow copy still refers to, or a dict of its tensors, detached."""
    if value.by == "dictcomp" and len(value.args) == 2 and value.on is not None and value.on.by == ".items":
        held = value.args[1]
        while held.by == ".detach" and held.on is not None:
            held = held.on
        return value.on.on or value if held.by in ("for", "item") else value
    while value.by in ("copy.copy", "builtins.dict", "collections.OrderedDict") and len(value.args) == 1:
        value = value.args[0]
    return value.on if value.by == ".copy" and value.on is not None else value


def _is_its_own(tree: Tree, state: Value, load: Event) -> bool:
    """Whether a model is given back, after a loop, the references that it gave in it."""
    if state.by != ".state_dict" or state.args or state.kwargs or not same(state.on, load.on):
        return False
    training = tree.training
    if not is_module(state.on) and all(step.event.root != load.root for step in training.steps):
        return False  # of a loader, say
    made = next((event for event in tree.course.calls(".state_dict") if event.value is state), None)
    return made is not None and bool(made.loops) and not load.inside(made.loops[-1])


def _finding(tree: Tree, node: ast.Call, *related: Related) -> Finding:
    text = f"{{k: v.detach().clone() for k, v in {source(tree.text, node)}.items()}}"
    return found(
        RULE,
        tree,
        node,
        "state_dict() gives references to the parameters, not copies: the next step changes what is kept "
        "here, and what is restored in the end are the last weights, not the best.",
        fix("keep copies", replace(tree.text, node, text), safe=True),
        related=related,
    )


def _is_kept_as_best(event: Event) -> bool:
    """Whether a state is kept on an object because a score is the best so far: `if score < self.best: ...`."""
    if event.function is None or event.function.name == "__init__":
        return False
    named = any("best" in ast.unparse(one.test) for one in event.branches_in(None) if _compares(one.test))
    return named or ("best" in event.name and bool(event.branches_in(None)))


def _compares(test: ast.expr | None) -> TypeGuard[ast.expr]:
    return test is not None and any(
        isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE))
        for node in ast.walk(test)
    )


def _saved(tree: Tree, state: Value) -> bool:
    """Whether the file writes the state out: what happens to it after that does not matter."""
    return any(
        any(one is state for given in use.inputs() for one in within(given, 3))
        for use in tree.course.calls("torch.save")
    )


def _uses(tree: Tree, state: Value, event: Event) -> list[Event]:
    return [
        use
        for use in tree.course.events
        if use.index > event.index
        and use.kind in ("call", "return")
        and any(inner is state for one in use.inputs() for inner in contents(one))
    ]
