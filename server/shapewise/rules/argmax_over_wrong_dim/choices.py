"""What is compared with labels and is no class of each sample: the best of all, or its score; for `argmax-over-wrong-dim`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.calls import add_keyword
from ...queries.lineage import Lineage, short, tensors
from ...queries.ops import ops_of
from ...queries.origins import origin
from ...vocabulary.events import Log, Op, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ...vocabulary.span import Span
from ..asking.along import another_dim, dim_of
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.widths import width_of
from ..telling.found import found_at

RULE = "argmax-over-wrong-dim"
LOSSES = frozenset("cross_entropy nll_loss CrossEntropyLoss() NLLLoss()".split())
_WHOLE_NUMBERS = ("int64", "int32", "uint8")
_SAME = frozenset("to cpu cuda detach squeeze view reshape flatten float long".split())


def choices(log: Log, lineage: Lineage, tree: Tree) -> Iterator[Finding]:
    """Each `==` of labels with `scores.argmax()`, one number for all samples, or with the scores of `scores.max(1)`."""
    maps: dict[object, Op] = {}
    for op in ops_of(log, LOSSES):
        scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        built = None if scores is None else _channels(lineage, scores)
        if built is not None:
            maps.setdefault(built, op)
    for op in ops_of(log):
        if short(op.name) == "argmax" and maps:
            found = _of_a_map(lineage, op, maps, tree)
            if found is not None:
                yield found
        if short(op.name) not in ("==", "eq"):
            continue
        pair = [arg for arg in op.args if isinstance(arg, Tensor)]
        for mine, labels in (pair, pair[::-1]) if len(pair) == 2 else ():
            choice = _choice(lineage, mine)
            if choice is None or labels.dtype not in _WHOLE_NUMBERS:
                continue
            given = choice.args[0]
            assert isinstance(given, Tensor)
            if (
                short(choice.name) == "argmax"
                and mine.shape == ()
                and labels.shape == given.shape[:1] != (1,)
            ):
                yield _of_all(op, choice, given, tree)
            elif (
                short(choice.name) == "max"
                and mine.dtype not in _WHOLE_NUMBERS
                and mine.shape == labels.shape
            ):
                yield _of_scores(op, choice, given)


_CONVOLUTIONS = ("nn.Conv1d()", "nn.Conv2d()", "nn.Conv3d()", "nn.ConvTranspose2d()")


def _channels(lineage: Lineage, scores: Tensor) -> Span | None:
    """Where the convolution was built whose channels are dim 1 of a map of scores."""
    found = origin(lineage, scores, 1) if len(scores.shape) > 2 else None
    if found is None or found.dim != 1 or found.op.name not in _CONVOLUTIONS or found.built is None:
        return None
    return found.built.span


def _of_a_map(lineage: Lineage, op: Op, maps: dict[object, Op], tree: Tree) -> Finding | None:
    """An argmax along a spatial dim of what a loss takes dim 1 of for the classes."""
    given = op.args[0] if op.args else None
    if not isinstance(given, Tensor) or len(given.shape) < 3:
        return None
    dim, built = dim_of(lineage, op, len(given.shape)), _channels(lineage, given)
    loss = maps.get(built) if built is not None else None
    if loss is None or dim in (None, 0, 1):
        return None
    return found_at(
        RULE,
        op.span,
        f"argmax over dim {dim} of {list_of(given.shape)}, and the classes are the channels, in dim 1.",
        *another_dim(tree, op, 1),
        related=[Related(loss.span, "the classes are taken from dim 1 here")],
    )


def _choice(lineage: Lineage, tensor: Tensor) -> Op | None:
    """The argmax, or the maximum, of what a linear layer gave for each of several samples, that a tensor is."""
    for _ in range(5):
        op = lineage.maker(tensor)
        inner = op.args[0] if op is not None and op.args else None
        if op is None or not isinstance(inner, Tensor):
            return None
        if short(op.name) in ("argmax", "max"):
            is_value = next(tensors(op.result), None) == tensor
            several = len(inner.shape) == 2 and 1 not in inner.shape
            return op if is_value and several and width_of(lineage, inner, -1) is not None else None
        if short(op.name) not in _SAME:
            return None
        tensor = inner
    return None


def _of_all(op: Op, choice: Op, given: Tensor, tree: Tree) -> Finding:
    call = tree.at(choice.span, ast.Call)
    fixes = (
        (Fix("for each: dim=-1", "unsafe", (add_keyword(tree.text, call, "dim=-1"),)),)
        if call is not None
        else ()
    )
    return found_at(
        RULE,
        choice.span,
        f"argmax without a dim is one number for all of {list_of(given.shape)}, a place in the flattened tensor, and every label "
        "is compared with it. The class of each sample is argmax(dim=-1).",
        *fixes,
        related=[Related(op.span, "compared here")],
    )


def _of_scores(op: Op, choice: Op, given: Tensor) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"the labels are compared with the largest scores of {list_of(given.shape)}, not with the classes that have them: max gives "
        "the scores first and the classes second.",
        related=[Related(choice.span, "the scores come from here")],
    )
