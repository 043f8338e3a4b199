"""What a model is validated or tested on, changed at random as what it is trained on is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.names import last_name
from ..program.values import EITHER, INSTANCE, Value, constant, number, roots, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "augmented-held-out"
_HELD_OUT = re.compile(r"(^|_)(val|valid|validation|test|dev|holdout)(_|\d|$)", re.IGNORECASE)
_CHANGES = frozenset("ColorJitter AutoAugment RandAugment TrivialAugmentWide AugMix".split())
_DRAWS = re.compile(r"\b(torch\.(rand|randn|randint|rand_like|randn_like|bernoulli)|random\.\w+)\(")
_OPTIONS = ("transform", "transforms", "augment", "augmentation")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each test set of torchvision's with a transform that draws, and each part so called of a split of a data set that has one."""
    if re.search(r"tta\b|test.?time.?aug", tree.text, re.IGNORECASE):
        return
    course = tree.course
    for event in course.of_kind("call"):
        if (
            event.name.startswith("torchvision.datasets.")
            and event.value is not None
            and _is_held_out(event.value)
        ):
            drawing = _drawing(tree, event.value)
            if drawing is not None:
                yield _found(tree, event.node, drawing, "this is what the model is tested on")
    if any(
        one.name in _OPTIONS or one.name == "dataset"
        for one in course.of_kind("set")
        if one.on is not None and _is_a_part(one.on)
    ):
        return  # a part is given a transform, or a data set, of its own
    for split in course.calls("torch.utils.data.random_split"):
        whole = split.argument("dataset", 0)
        drawing = None if whole is None else _drawing(tree, whole)
        statement = course.places.statement(split.node)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        names = [last_name(one) for one in target.elts] if isinstance(target, ast.Tuple) else []
        if drawing is not None and any(map(_HELD_OUT.search, names)):
            yield _found(tree, split.node, drawing, "both parts of the split have one data set behind them")
    parts = [one for one in course.calls("torch.utils.data.Subset") if one.args]
    for part in parts:
        others = [
            one
            for one in parts
            if one is not part and one.root == part.root and same(one.args[0], part.args[0])
        ]
        drawing = _drawing(tree, part.args[0]) if others else None
        if drawing is not None and _HELD_OUT.search(_name_of(tree, part.node)):
            yield _found(tree, part.node, drawing, "this part has the same data set behind it as the other")


def _is_a_part(value: Value) -> bool:
    return value.by == "item" or any(
        one.short() in ("Subset", "random_split") or one.by in ("item", ".") for one in roots(value)
    )


def _is_held_out(made: Value) -> bool:
    """Whether a data set of torchvision's is asked for as the part to test on."""
    split = constant(made.argument("split"))
    return constant(made.argument("train", 1)) is False or split in ("test", "val", "valid")


def _drawing(tree: Tree, dataset: Value) -> Value | None:
    """The transform of a data set that draws, one of torchvision's or of the file's; None if there is none, or nobody knows which."""
    found = [_drawing_of(tree, one) for one in roots(dataset)]
    return found[0] if found and all(one is not None for one in found) else None


def _drawing_of(tree: Tree, dataset: Value) -> Value | None:
    if dataset.by == INSTANCE:
        given = [*dataset.args, *dataset.kwargs.values()]
    else:
        given = [one for name, one in dataset.kwargs.items() if name in _OPTIONS]
    for option in given:
        drawing = next(filter(_draws, within(option, 4)), None)
        if drawing is not None and _is_certain(tree, dataset, option, drawing):
            return drawing
    return None


def _draws(change: Value) -> bool:
    path, word = change.by or change.path, change.short()
    if path.startswith("torchvision.transforms.") and (word.startswith("Random") or word in _CHANGES):
        return not _is_the_same_each_time(change)
    if change.by == INSTANCE and change.cls is not None and not change.cls.is_module:
        call = change.cls.method("__call__")
        return call is not None and _DRAWS.search(ast.unparse(call.node)) is not None
    return False


def _is_the_same_each_time(change: Value) -> bool:
    """Whether a transform draws from one number only: `RandomRotation((90, 90))`, or has a chance of all or nothing."""
    degrees = change.argument("degrees", 0)
    ends = [number(one) for one in degrees.args] if degrees is not None else []
    return constant(change.argument("p")) in (0, 1) or (len(ends) == 2 and ends[0] == ends[1] is not None)


def _is_certain(tree: Tree, dataset: Value, option: Value, drawing: Value) -> bool:
    """Whether a data set has a transform however the file runs: it is no one of several, and no condition is around it alone."""
    for one in within(option, 4):
        if one.by == EITHER and not all(any(map(_draws, within(way, 4))) for way in one.options):
            return False
    events = tree.course.of_kind("call")
    around = {id(fork.fork) for one in events if one.value is dataset for fork in one.branches_in(None)}
    return all(
        fork.taken or id(fork.fork) in around
        for one in events
        if one.value is drawing
        for fork in one.branches_in(None)
    )


def _name_of(tree: Tree, node: ast.AST) -> str:
    """The variable that a call is bound to."""
    statement = tree.course.places.statement(node)
    if not isinstance(statement, ast.Assign):
        return ""
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return next((last_name(name) for name, one in zip(target.elts, value.elts) if one is node), "")
    return last_name(target) if value is node else ""


def _found(tree: Tree, node: ast.AST, drawing: Value, why: str) -> Finding:
    return found(
        RULE,
        tree,
        node,
        f"{why}, and its transform changes each item at random: what is measured is another set each time, and a harder one. Give what is held out a "
        "data set of its own, with a transform that draws nothing.",
        related=[Related(tree.span(drawing.node), "drawn here")] if drawing.node is not None else [],
    )
