"""Padded labels that the loss counts like any other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..program.course import Course
from ..program.folding import usual_number
from ..program.ops import losses, numbers_of
from ..program.values import Value, constant, number, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import fix, found
from .loaders import collated
from .tree import Tree

RULE = "padding-not-ignored"
_COPIES = (".clone", ".to", ".long", ".contiguous", ".detach", ".cuda")
_TENSORS = ("torch.tensor", "torch.LongTensor", "torch.as_tensor")
_PAD = ("torch.nn.utils.rnn.pad_sequence",)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """A cross entropy whose target surely is a padded batch, and that ignores nothing of it."""
    for loss in losses(tree.course):
        if loss.name not in ("cross_entropy", "nll_loss") or loss.target is None:
            continue
        padded = [_padded(one, tree.course) for one in numbers_of(loss.target)]
        if not padded or not all(padded) or constant(loss.option("reduction")) == "none":
            continue
        ignored = loss.option("ignore_index")
        pad = padded[0]
        assert pad is not None
        filler = _filler(pad)
        known = -100.0 if ignored is None else usual_number(ignored)
        if filler is None or known is None or filler == known or loss.option("weight") is not None:
            continue
        where = [Related(tree.span(pad.node), "padded here")] if pad.node is not None else []
        yield found(
            RULE,
            tree,
            loss.event.node,
            f"the target is padded with {filler:g}, and the loss counts the padding as labels. Pad with -100, which "
            f"it ignores, or say ignore_index={filler:g}.",
            *(_fixes(tree, loss.made.node, filler) if ignored is None else ()),
            related=where,
        )


def _filler(pad: Value) -> float | None:
    """The number that fills up what is shorter."""
    if pad.by in _PAD:
        value = pad.argument("padding_value", 2)
        return 0.0 if value is None else usual_number(value)
    return number(_repeated(pad))


def _repeated(value: Value) -> Value | None:
    """The filler of `torch.tensor([row + [0] * (longest - len(row)) for row in rows])`."""
    given = value.args[0] if value.by in _TENSORS and value.args else None
    row = given.args[-1] if given is not None and given.by == "listcomp" else None
    if row is None or row.by != "+" or row.args[1].by != "*":
        return None
    filled = [one for one in row.args[1].args if one.by == "list" and len(one.args) == 1]
    counted = any(one.by == "builtins.len" for one in within(row.args[1], 4))
    return filled[0].args[0] if len(filled) == 1 and counted else None


def _fixes(tree: Tree, made: ast.AST | None, filler: float) -> list[Fix]:
    if not isinstance(made, ast.Call):
        return []
    return [fix("leave the padding out", add_keyword(tree.text, made, f"ignore_index={filler:g}"))]


def _padded(value: Value, course: Course) -> Value | None:
    """The padding that made it, if one did; also where it has been sliced or copied since, and never written to."""
    while value.by in ("[]", *_COPIES) and value.on is not None:
        if _is_written_to(value, course):
            return None
        value = value.on
    inner = collated(course, value)
    if inner is not None:
        return _padded(inner, course)
    return (
        value
        if (value.by in _PAD or _repeated(value) is not None) and not _is_written_to(value, course)
        else None
    )


def _is_written_to(value: Value, course: Course) -> bool:
    return any(
        use.on is value and (use.kind == "store" or (use.kind == "call" and use.name.endswith("_")))
        for use in course.uses(value)
    )
