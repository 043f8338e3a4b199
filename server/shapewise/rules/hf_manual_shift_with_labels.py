"""Labels given to the model, and the loss computed once more by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import Event
from ..program.ops import Loss, losses
from ..program.values import Value, constant, number, roots, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.loaders import collate_function, loaders
from .asking.tree import Tree
from .telling.found import found

RULE = "hf-manual-shift-with-labels"
_CAUSAL = re.compile(r"^transformers\..*(CausalLM|LMHeadModel)\.from_pretrained$")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cross entropy of logits that come from a call with labels, and labels shifted before the call."""
    yield from _shifted_before(tree)
    yield from _shifted_in_batches(tree)
    for loss in losses(tree.course):
        if loss.name != "cross_entropy":
            continue
        call = _call_with_labels(loss)
        if call is None or call.node is None:
            continue
        yield found(
            RULE,
            tree,
            loss.event.node,
            "the model was given labels, and has shifted them and computed this loss already: it is in .loss.",
            related=[Related(tree.span(call.node), "labels are given here")],
        )


def _shifted_before(tree: Tree) -> Iterator[Finding]:
    """Every call of a causal model with `ids[:, :-1]` and labels `ids[:, 1:]`, or those filled up: it shifts once more."""
    for event in tree.course.calls("()"):
        ids = _laid_out(event.argument("input_ids", 0) or _put(tree, event, "input_ids"))
        labels = _laid_out(event.kwargs.get("labels") or _put(tree, event, "labels"))
        if labels is None or not all(_CAUSAL.search(root.by) for root in roots(event.on)):
            continue
        shifted = (
            ids is not None
            and (_are_the_same(ids.on, labels.on) or _are_the_same(ids.on, _unfilled(labels.on)))
            and _slice(ids) == (None, -1)
            and _slice(labels) == (1, None)
        )
        if not shifted and not _moved_left(labels):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "the model shifts the labels itself: of these it learns the token after the next. Give it the same ids "
            "as input_ids and as labels.",
        )


def _are_the_same(one: Value | None, other: Value | None) -> bool:
    """Whether they are one value, or what lies in one batch under one name."""
    if one is None or other is None or same(one, other):
        return one is not None and other is not None
    return (
        one.by == other.by == "[]"
        and isinstance(constant(one.args[0] if one.args else None), str)
        and constant(one.args[0]) == constant(other.args[0] if other.args else None)
        and same(one.on, other.on)
    )


def _put(tree: Tree, call: Event, key: str) -> Value | None:
    """What was last put into a batch under a name before a model is called with `**batch`."""
    batch = call.kwargs.get("**")
    stores = [
        one.args[1]
        for one in (() if batch is None else tree.course.uses(batch))
        if one.kind == "store" and one.index < call.index and same(one.on, batch)
        if len(one.args) == 2 and constant(one.args[0]) == key
    ]
    return stores[-1] if stores else None


def _shifted_in_batches(tree: Tree) -> Iterator[Finding]:
    """Every batch that a collate function or a data set makes with labels moved already, for a model called with `**batch`."""
    course = tree.course
    called = [
        event
        for event in course.calls("()", "transformers.Trainer")
        if all(_CAUSAL.search(root.by) for root in roots(event.on or event.argument("model", 0)))
        and (event.name != "()" or _is_of_loader(event.kwargs.get("**")))
    ]
    if not called or any(constant(event.argument("", 0)) == "labels" for event in course.calls(".pop")):
        return
    collates = [collate_function(one) for one in loaders(course)]
    for event in course.of_kind("return"):
        made, function = event.args[0], event.function
        if function is None or made.by != "dict" or "labels" not in made.keys:
            continue
        labels = _laid_out(made.args[made.keys.index("labels")])
        if function not in collates and function.name not in ("__getitem__", "__call__"):
            continue
        if labels is not None and _moved_left(labels) and labels.node is not None:
            yield found(
                RULE,
                tree,
                labels.node,
                "the model shifts the labels itself: of these it learns the token after the next. Leave them as the ids are.",
                related=[Related(tree.span(one.node), "the model gets them here") for one in called[:1]],
            )


def _is_of_loader(batch: Value | None) -> bool:
    """Whether a value is one of the batches of a loader, moved or not."""
    return batch is not None and any(
        one.by == "for" and one.on is not None and one.on.by == "torch.utils.data.DataLoader"
        for one in within(batch, 4)
    )


def _moved_left(labels: Value) -> bool:
    """Whether they are `ids[:, 1:]` and something in the place that is left, or rolled by one to the left."""
    if labels.by in ("torch.roll", ".roll"):
        return number(labels.argument("shifts", 0 if labels.by == ".roll" else 1)) == -1
    first: Value | None = None
    if labels.by in ("torch.cat", "torch.concat", "torch.hstack"):
        parts = labels.argument("tensors", 0)
        first = (
            parts.args[0]
            if parts is not None and parts.by in ("list", "tuple") and len(parts.args) == 2
            else None
        )
    elif labels.by == "torch.nn.functional.pad":
        sides = labels.argument("pad", 1)
        if sides is not None and [number(one) for one in sides.args] == [0, 1]:
            first = labels.argument("input", 0)
    first = _laid_out(first)
    return first is not None and _slice(first) == (1, None)


def _laid_out(value: Value | None) -> Value | None:
    """It before it was copied: `ids[:, 1:]` of `ids[:, 1:].contiguous()`."""
    while value is not None and value.by in (".contiguous", ".clone", ".to", ".detach"):
        value = value.on
    return value


def _unfilled(labels: Value | None) -> Value | None:
    """The ids that labels were made of before -100 was written in places: `ids.masked_fill(mask == 0, -100)`."""
    labels = _laid_out(labels)
    if labels is not None and labels.by in (".masked_fill", "torch.masked_fill"):
        return _laid_out(labels.on or labels.argument("input", 0))
    if labels is not None and labels.by == "torch.where" and len(labels.args) == 3:
        return next((_laid_out(one) for one in labels.args[1:] if number(one) is None), None)
    return labels


def _slice(value: Value) -> tuple[object, object] | None:
    """The bounds along the last dim of `ids[:, 1:]` and its like."""
    index = value.args[0] if value.by == "[]" and value.args else None
    last = index.args[-1] if index is not None and index.by == "tuple" and index.args else index
    node = last.node if last is not None and last.by == "slice" else None
    if not isinstance(node, ast.Slice) or node.step is not None:
        return None
    bounds = [None if one is None else ast.unparse(one) for one in (node.lower, node.upper)]
    if any(one not in (None, "1", "-1") for one in bounds):
        return None
    lower, upper = (None if one is None else int(one) for one in bounds)
    return lower, upper


def _call_with_labels(loss: Loss) -> Value | None:
    """The call of a model with labels that gave the logits of a loss."""
    for one in within(loss.input, 8):
        if one.by == "." and one.name == "logits" and one.on is not None:
            call = one.on
            if call.by != "()":
                return None
            return (
                call
                if _are_of(call.kwargs.get("labels"), loss.target) or _in_the_batch(call, loss.target)
                else None
            )
    return None


def _are_of(labels: Value | None, target: Value | None) -> bool:
    """Whether what a loss is held against is made of the labels that a model was given, or of what they are made of."""
    if labels is None or target is None:
        return False
    return bool(_sources(labels, 4) & _sources(target, 8))


def _sources(value: Value, depth: int) -> set[object]:
    """What it is made of: objects, and what is taken by a name out of one; not the batch that holds it beside others."""
    found: set[object] = set()
    for one in roots(value):
        key = constant(one.args[0]) if one.by == "[]" and one.args else None
        if isinstance(key, str):
            found |= {(id(root), key) for root in roots(one.on)}
        elif one.by not in ("const", "path", "slice"):
            found.add(id(one))
            if depth and one.by not in ("item", "for", "()"):
                for part in one.made_of():
                    found |= _sources(part, depth - 1)
    return found


def _in_the_batch(call: Value, target: Value | None) -> bool:
    """Whether the model is given the whole batch, `**batch`, and the loss is of `batch["labels"]`."""
    batch = call.kwargs.get("**")
    return (
        batch is not None
        and target is not None
        and any(
            one.by == "[]" and constant(one.args[0]) == "labels" and same(one.on, batch)
            for one in within(target, 6)
            if one.args
        )
    )
