"""A loss taken through Python or numpy: the graph ends there, and nothing upstream learns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import replace

from ..edits.statements import replace as edited
from ..edits.statements import source
from ..program.events import common_loop
from ..program.given import is_in
from ..program.graphs import backward_through
from ..program.modes import no_grad_around
from ..program.ops import LOSSES, losses
from ..program.training import is_module, owned
from ..program.values import Value, flows_into, number, options_of, same, within
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "graph-broken-in-loss"
_MADE = (
    "torch.argmax",
    "torch.tensor",
    "torch.as_tensor",
    "torch.from_numpy",
    "torch.Tensor",
    "torch.FloatTensor",
)
_CASTS = (".float", ".double", ".to", ".squeeze", ".unsqueeze", ".view", ".reshape", ".cpu", ".cuda")
_OPERATORS = ("+", "-", "*", "/")
_LEAVES = (".item", ".detach", ".numpy", ".tolist", ".argmax")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every backward of a loss, or loss that is differentiated, whose way to the model is cut."""
    told: set[ast.AST] = set()
    differentiated = {
        id(term): (back, term is back.loss) for back in tree.training.backwards for term in _terms(back.loss)
    }
    without_graph = {id(call.value) for call in tree.course.calls("()") if no_grad_around(call) is not None}
    for back in tree.training.backwards:
        cut = _cut(back.loss)
        if cut is not None and cut.node is not None and cut.node not in told:
            told.add(cut.node)
            yield _found(tree, cut, back.event.node)
        for term in _terms(back.loss):
            through = _through_numbers(term) or _of_numbers_only(term, without_graph)
            if through is not None and through.node is not None and through.node not in told:
                told.add(through.node)
                yield _found(tree, through, back.event.node)
    for loss in losses(tree.course):
        value = loss.event.value
        if value is None or id(value) not in differentiated:
            continue
        back, alone = differentiated[id(value)]
        cut = _cut(loss.input)
        if cut is None or cut.node is None or cut.node in told:
            continue
        if loss.target is None or not _is_data(loss.target, without_graph):
            if not alone or (loss.target is not None and _from_model(loss.target)):
                if not _was_cut(log, tree, cut, loss.event.node):
                    continue  # the other side may learn
        told.add(cut.node)
        yield _found(tree, cut, back.event.node)
    for cut, backward in _before_its_step(tree):
        if cut.node is not None and cut.node not in told:
            told.add(cut.node)
            yield replace(_found(tree, cut, backward), fixes=_kept_whole(tree, cut.node))


def _before_its_step(tree: Tree) -> Iterator[tuple[Value, ast.AST]]:
    """A detach in the loss before a step, behind which is all that the stepped module gave, and where that is differentiated.

    `bce(D(fake.detach()), ones)` before the step of the generator: none of its calls is in any loss's graph.
    """
    training = tree.training
    for step in training.steps:
        models = owned(step.optimizer)
        backs = [back for back in training.backwards if back.event.root == step.event.root]
        before = [back for back in backs if back.event.index < step.event.index]
        if not models or len(models) != 1 or not before or before[-1].manager is not None:
            continue
        last, model = before[-1], models[0]
        if common_loop(last.event, step.event) is None or _is_handed_on(tree, model):
            continue
        if any(_is_call_of(model, one) for back in backs for one in backward_through(back.loss)):
            continue
        for one in backward_through(last.loss):
            cut = next((arg for arg in one.args if arg.by == ".detach"), None)
            if (
                cut is not None
                and cut.on is not None
                and any(_is_call_of(model, two) for two in within(cut.on, 4))
            ):
                yield cut, last.event.node
                break


def _kept_whole(tree: Tree, node: ast.AST) -> tuple[Fix, ...]:
    """`fake` for `fake.detach()`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ()
    written = source(tree.text, node.func.value)
    return (fix(f"keep the graph: {written}", edited(tree.text, node, written)),)


def _was_cut(log: Log, tree: Tree, cut: Value, loss: ast.AST) -> bool:
    """Whether runs show a graph before the cut, and in no run another side of the loss that has one: nothing learns from it."""
    whole = cut.on or (cut.args[0] if cut.args else None)
    if whole is None or whole.node is None:
        return False
    before, at = tree.span(whole.node), tree.span(loss)
    given = [op.result for op in ops_of(log) if op.span == before]
    sides = [arg for op in ops_of(log) if op.span == at for arg in op.args if isinstance(arg, Tensor)]
    return (
        any(isinstance(one, Tensor) and one.requires_grad for one in given)
        and bool(sides)
        and all(one.requires_grad is False for one in sides)
    )


def _is_call_of(model: Value, value: Value) -> bool:
    """Whether a value is what a module gave, or one that may hold it."""
    return value.by == "()" and value.on is not None and is_in(model, value.on)


def _is_handed_on(tree: Tree, model: Value) -> bool:
    """Whether a call that is not followed is given the module, and may do anything with it."""
    return any(
        same(arg, model)
        for event in tree.course.of_kind("call")
        for arg in (*event.args, *event.kwargs.values())
        if not event.name.startswith("torch.optim.")
    )


def _found(tree: Tree, cut: Value, backward: ast.AST) -> Finding:
    assert cut.node is not None
    return found(
        RULE,
        tree,
        cut.node,
        f"{cut.short()} cuts the graph: what comes before it gets no gradient, and the model does not learn from "
        "this loss.",
        related=[Related(tree.span(backward), "differentiated here")],
    )


def _terms(loss: Value, depth: int = 0) -> Iterator[Value]:
    """A loss, and what it is a sum of, factors that are numbers taken off."""
    yield loss
    for option in options_of(loss) if depth < 8 else ():
        if option.by in ("+", "-", "+="):
            parts = option.args
        elif option.by in ("*", "/"):
            parts = tuple(arg for arg in option.args if number(arg) is None)
            parts = parts if len(parts) == 1 else ()
        else:
            parts = ()
        for part in parts:
            yield from _terms(part, depth + 1)


def _is_data(value: Value, without_graph: Set[int]) -> bool:
    """Whether all that a value was computed from is seen, and none of it is a model's, but for what one gave without a graph
    (a teacher's words under no_grad)."""
    level = [value]
    for _ in range(15):
        following: list[Value] = []
        for one in level:
            if one.by == "for" or one.by in _LEAVES or id(one) in without_graph:
                continue  # of a data set's, or of no graph
            if one.by in ("", "given", "()", "def", "generator") or _is_models(one):
                return False
            following += one.made_of()
        level = following
        if len(level) > 200:
            return False
    return not level


def _cut(value: Value) -> Value | None:
    """Where the way from a value back to a model is surely cut."""
    for option in options_of(value):
        one = option
        cut: Value | None = None
        for _ in range(12):
            if one.by in _MADE and one.args:
                cut, one = one, one.args[0]
            elif (one.by in _LEAVES or _is_data_of(one)) and one.on is not None:
                cut, one = one, one.on
            elif (
                one.by.startswith(".")
                and len(one.by) > 1
                and one.on is not None
                and (cut or one.by in _CASTS)
            ):
                if one.by == ".requires_grad_":
                    return None
                one = one.on
            elif cut is not None and (
                _is_models(one) or (one.by in _OPERATORS or one.by.startswith("torch.")) and _from_model(one)
            ):
                return cut
            else:
                break
    return None


def _is_data_of(value: Value) -> bool:
    return value.by == "." and value.name == "data"


def _through_numbers(term: Value) -> Value | None:
    """Where a term of a loss is made from numbers of numpy's or Python's that were computed from what a model gave."""
    one: Value | None = term
    while one is not None and one.by.startswith(".") and len(one.by) > 1 and one.by not in _LEAVES:
        one = one.on
    if one is None or one.by not in _MADE or not one.args:
        return None
    left = any(inner.by in _LEAVES and _from_model(inner) for inner in flows_into(one.args[0]))
    return one if left else None


def _of_numbers_only(term: Value, without_graph: Set[int]) -> Value | None:
    """Where a term of a loss, of which nothing else could learn, is made from numbers that were computed from what a model gave."""
    parts = list(flows_into(term))
    if any(one.by in ("torch.nn.Parameter", ".") for one in parts) or not _is_data(term, without_graph):
        return None
    return next((one for one in parts if one is not term and _through_numbers(one) is one), None)


def _from_model(value: Value) -> bool:
    """Whether what a model or a loss gave is in it."""
    return any(_is_models(one) for one in flows_into(value))


def _is_models(value: Value) -> bool:
    if value.by == "()":
        return is_module(value.on) or _is_loss_layer(value)
    return value.by.rsplit(".", 1)[-1] in LOSSES


def _is_loss_layer(value: Value) -> bool:
    return value.on is not None and value.on.by.startswith("torch.nn.") and value.on.by.endswith("Loss")
