"""A view or reshape to another number of elements."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import Refusal, list_of, refusals
from .asking.tree import Tree
from .telling.found import argument_node

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
        fixes = (*_flattened(refusal, given, sizes), *_fixes(refusal, given, sizes))
        yield refusal.finding(RULE, _shown(given, sizes), fixes=fixes)


def _shown(given: Tensor, sizes: list[int]) -> list[str]:
    held = f"{list_of(given.shape)} holds {_product(given)} elements"
    fixed = math.prod(size for size in sizes if size >= 0)
    if -1 in sizes:
        return [f"{held}, which {fixed} does not divide."]
    return [f"{held}, {list_of(tuple(sizes))} has {fixed}."]


def _product(given: Tensor) -> int:
    return math.prod(size if isinstance(size, int) else 0 for size in given.shape)


def _written(refusal: Refusal, sizes: list[int]) -> list[ast.expr]:
    """The sizes as they are written, if each is."""
    call = refusal.tree.at(refusal.op.span, ast.Call)
    nodes = [] if call is None else list(call.args)
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = list(nodes[0].elts)
    nodes = nodes[-len(sizes) :]
    return nodes if len(nodes) == len(sizes) else []


def _flattened(refusal: Refusal, given: Tensor, sizes: list[int]) -> Iterator[Fix]:
    """`view(-1, 16 * 5 * 5)` of images of another size: what they hold, here and in the layer that it is for."""
    nodes, shape = _written(refusal, sizes), given.shape
    if (
        len(sizes) != 2
        or sizes[0] not in (-1, shape[0])
        or len(nodes) != 2
        or len(shape) < 3
        or None in shape
    ):
        return
    layers = [
        node
        for op in refusal.log.events
        if isinstance(op, Op) and op.name == "torch.nn.Linear" and refusal.here(op)
        if op.args[:1] == (Scalar(sizes[1]),) and (call := refusal.tree.at(op.span, ast.Call)) is not None
        if (node := argument_node(call, "in_features", 0)) is not None
    ]
    text = refusal.tree.text
    if len(layers) != 1 or not _is_number(nodes[1]) or not _is_number(layers[0]):
        return
    whole = math.prod(size for size in shape[1:] if isinstance(size, int))
    new = str(whole) if isinstance(nodes[1], ast.Constant) else " * ".join(map(str, shape[1:]))
    edits = replace(text, nodes[1], new), replace(text, layers[0], new)
    yield Fix(f"flatten to {new}, and build the layer for it", "unsafe", edits)


def _is_number(node: ast.expr) -> bool:
    """Whether it is written in numbers alone."""
    return all(isinstance(one, (ast.Constant, ast.BinOp, ast.operator)) for one in ast.walk(node))


def _fixes(refusal: Refusal, given: Tensor, sizes: list[int]) -> Iterator[Fix]:
    """One of the sizes left to torch, where the others divide."""
    if -1 in sizes:
        return
    nodes = _written(refusal, sizes)
    for dim, node in enumerate(nodes):
        rest = math.prod(size for other, size in enumerate(sizes) if other != dim)
        if rest and _product(given) % rest == 0 and not isinstance(node, ast.Starred):
            yield Fix(f"-1 in dim {dim}", "unsafe", (replace(refusal.tree.text, node, "-1"),))
