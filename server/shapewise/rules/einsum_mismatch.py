"""An einsum whose letters and shapes disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log, Scalar, Tensor
from ..vocabulary.findings import Finding
from .refusals import Refusal, refusals, size_of
from .tree import Tree

RULE = "einsum-mismatch"
_PATTERN = re.compile(r"einsum\(\): ")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every einsum that torch refuses, with the size of each letter."""
    for refusal in refusals(log, tree, _PATTERN):
        yield refusal.finding(RULE, [*_letters(refusal), *refusal.table()])


def _letters(refusal: Refusal) -> Iterator[str]:
    """The sizes that each letter stands for, those that disagree first."""
    equation = refusal.op.args[0] if refusal.op.args else None
    if not isinstance(equation, Scalar) or not isinstance(equation.value, str) or "." in equation.value:
        return
    terms = equation.value.replace(" ", "").partition("->")[0].split(",")
    tensors = [arg for arg in refusal.op.args if isinstance(arg, Tensor)]
    sizes: dict[str, dict[str, None]] = {}
    for term, tensor in zip(terms, tensors):
        for letter, size in zip(term, tensor.shape):
            sizes.setdefault(letter, {})[size_of(size)] = None
    for letter, found in sorted(sizes.items(), key=lambda item: -len(item[1])):
        if len(found) > 1:
            yield f"  {letter} is {' and '.join(found)}"
