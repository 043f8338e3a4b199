"""A view or reshape to another number of elements."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ..fixes.statements import replace
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix
from .refusals import Refusal, list_of, refusals
from .tree import Tree

RULE = "view-numel-mismatch"
_PATTERNS = (
    re.compile(r"shape '\[(?P<shape>[-\d, ]*)\]' is invalid for input of size (?P<size>\d+)"),
    re.compile(r"only one dimension can be inferred"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call, with the numbers that do not agree."""
    for refusal in refusals(log, tree, *_PATTERNS):
        given = next((arg for arg in refusal.op.args if isinstance(arg, Tensor)), None)
        if given is None or given.shape is None:
            continue
        wanted = refusal.match.groupdict().get("shape")
        if wanted is None:
            yield refusal.finding(RULE)
            continue
        sizes = [int(size) for size in wanted.split(",") if size.strip()]
        yield refusal.finding(RULE, _shown(given, sizes), fixes=_fixes(refusal, given, sizes))


def _shown(given: Tensor, sizes: list[int]) -> list[str]:
    held = f"{list_of(given.shape)} holds {_product(given)} elements"
    fixed = math.prod(size for size in sizes if size >= 0)
    if -1 in sizes:
        return [f"{held}, which {fixed} does not divide."]
    return [f"{held}, {list_of(tuple(sizes))} has {fixed}."]


def _product(given: Tensor) -> int:
    return math.prod(size if isinstance(size, int) else 0 for size in given.shape)


def _fixes(refusal: Refusal, given: Tensor, sizes: list[int]) -> Iterator[Fix]:
    """One of the sizes left to torch, where the others divide."""
    call = refusal.tree.at(refusal.op.span, ast.Call)
    if call is None or -1 in sizes:
        return
    nodes = call.args
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = nodes[0].elts
    nodes = nodes[-len(sizes) :]
    if len(nodes) != len(sizes):
        return
    for dim, node in enumerate(nodes):
        rest = math.prod(size for other, size in enumerate(sizes) if other != dim)
        if rest and _product(given) % rest == 0 and not isinstance(node, ast.Starred):
            yield Fix(f"-1 in dim {dim}", "unsafe", (replace(refusal.tree.text, node, "-1"),))
