"""An einsum whose letters and shapes disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..program.values import constant
from ..vocabulary.events import Log, Scalar, Tensor
from ..vocabulary.findings import Finding
from .asking.refusals import Refusal, refusals, size_of
from .asking.tree import Tree
from .mending.letters import other_letters
from .telling.found import found

RULE = "einsum-mismatch"
_PATTERNS = (
    re.compile(r"einsum\(\): "),
    re.compile(r"Size of label '\w+' for operand "),
)
"""Torch's own words, and opt_einsum's, which it asks for an order where that is installed."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every einsum that torch refuses, with the size of each letter."""
    told = set()
    for refusal in refusals(log, tree, *_PATTERNS):
        told.add(refusal.op.span)
        yield refusal.finding(
            RULE, [*_letters(refusal), *refusal.table()], fixes=tuple(other_letters(refusal))
        )
    for event in tree.course.calls("torch.einsum"):
        equation = constant(event.args[0]) if event.args else None
        if not isinstance(equation, str) or event.kwargs or any(arg.spread for arg in event.args):
            continue
        # One operand may be a list of them.
        wrong = _wrong(equation, 0 if len(event.args) == 2 else len(event.args) - 1)
        if wrong is not None and tree.span(event.node) not in told:
            yield found(RULE, tree, event.node, f"einsum refuses this equation: {wrong}.")


def _wrong(equation: str, operands: int) -> str | None:
    """What is wrong with the text of an equation beside so many operands (0: not known how many)."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if operands and len(terms) != operands:
        return f"it has {len(terms)} terms, and is given {operands} tensors"
    letters = [letter for letter in right if letter.isalpha()]
    new = [letter for letter in letters if letter not in left]
    if arrow and new:
        return f"{new[0]} of the result stands in no term"
    twice = [letter for letter in letters if letters.count(letter) > 1]
    return f"{twice[0]} stands twice in the result" if twice else None


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
    for letter, known in sorted(sizes.items(), key=lambda item: -len(item[1])):
        if len(known) > 1:
            yield f"  {letter} is {' and '.join(known)}"
