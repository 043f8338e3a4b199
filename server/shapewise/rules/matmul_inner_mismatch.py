"""A product of two matrices whose inner dims differ."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log, Sizes, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import Refusal, aligned, refusals, size_of
from .asking.tree import Tree
from .mending.widths import clash

RULE = "matmul-inner-mismatch"
_PATTERNS = (
    re.compile(r"mat1 and mat2 shapes cannot be multiplied"),
    re.compile(r"Expected size for first two dimensions of batch2 tensor to be"),
    re.compile(r"size mismatch, got input"),
    re.compile(r"inconsistent tensor size, expected tensor"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such product that is not inside a layer."""
    for refusal in refusals(log, tree, *_PATTERNS):
        tensors = [arg for arg in refusal.op.args if isinstance(arg, Tensor)]
        if refusal.failure.layer is None and len(tensors) >= 2:
            left, right = tensors[-2:]
            yield _finding(refusal, left, right)


def _finding(refusal: Refusal, left: Tensor, right: Tensor) -> Finding:
    names = [refusal.name_of(left), refusal.name_of(right)]
    shown = aligned([left.shape, right.shape], names, clash=set())
    related = []
    if left.shape and right.shape:
        inner = _inner(left.shape), _inner(right.shape, of_the_second=True)
        shown.append(
            f"The inner dims have to agree: {size_of(left.shape[inner[0]])} and {size_of(right.shape[inner[1]])}."
        )
        related = [*refusal.born(left, inner[0]), *refusal.born(right, inner[1])]
    fixes = [*_fixes(refusal, left, right)]
    if left.shape and right.shape:
        fixes += clash(refusal, (left, inner[0]), (right, inner[1]))
    return refusal.finding(RULE, shown, related, fixes)


def _inner(shape: Sizes, of_the_second: bool = False) -> int:
    """The dim (from 0) that is summed over."""
    return len(shape) - (2 if of_the_second and len(shape) > 1 else 1)


def _fixes(refusal: Refusal, left: Tensor, right: Tensor) -> Iterator[Fix]:
    """Turn the one or the other, or make a column of numbers in a row, where that makes it fit."""
    if len(left.shape) == 1 and len(right.shape) > 1 and right.shape[-2] == 1:
        yield from refusal.behind(left, ".unsqueeze(-1)")
    if len(right.shape) > 1 and _fit(left.shape, _turned(right.shape)):
        yield from refusal.behind(right, ".mT")
    if len(left.shape) > 1 and _fit(_turned(left.shape), right.shape):
        yield from refusal.behind(left, ".mT")


def _turned(shape: Sizes) -> Sizes:
    return (*shape[:-2], shape[-1], shape[-2])


def _fit(left: Sizes, right: Sizes) -> bool:
    """Whether two shapes surely can be multiplied."""
    if None in left or None in right or left[-1] != right[_inner(right, True)]:
        return False
    return all(a == b or 1 in (a, b) for a, b in zip(left[-3::-1], right[-3::-1]))
