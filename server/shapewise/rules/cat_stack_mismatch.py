"""Tensors put together whose other dims differ."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import replace, source
from ..vocabulary.events import Group, Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, aligned, refusals
from .asking.tree import Tree
from .mending.widths import clash
from .telling.found import argument_node, name_for

RULE = "cat-stack-mismatch"
_PATTERNS = (
    re.compile(r"Sizes of tensors must match except in dimension (?P<dim>\d+)"),
    re.compile(r"Tensors must have same number of dimensions"),
    re.compile(r"stack expects each tensor to be equal size"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cat or stack that torch refuses for its sizes."""
    for refusal in refusals(log, tree, *_PATTERNS):
        together = refusal.op.args[0] if refusal.op.args else None
        tensors = [one for one in getattr(together, "items", ()) if isinstance(one, Tensor)]
        if not isinstance(together, Group) or len(tensors) < 2:
            continue
        call = refusal.tree.at(refusal.op.span, ast.Call)
        names = _names(call)
        shown = aligned([one.shape for one in tensors[:6]], names if len(names) == len(tensors) else ())
        fixes = [*_fixes(refusal, tensors, call)]
        clashes = _clashes(refusal, tensors)
        if len(clashes) == 1:
            first, other, dim = clashes[0]
            fixes += clash(refusal, (first, dim), (other, dim))
        yield refusal.finding(RULE, shown, _related(refusal, tensors), fixes)


def _names(call: ast.Call | None) -> list[str]:
    if call is None or not call.args or not isinstance(call.args[0], (ast.List, ast.Tuple)):
        return []
    return [text if len(text := ast.unparse(node)) <= 28 else "" for node in call.args[0].elts]


def _related(refusal: Refusal, tensors: list[Tensor]) -> Iterator[Related]:
    """Where the dims that differ got their sizes."""
    for first, other, dim in _clashes(refusal, tensors)[:1]:
        yield from refusal.born(first, dim)
        yield from refusal.born(other, dim)


def _clashes(refusal: Refusal, tensors: list[Tensor]) -> list[tuple[Tensor, Tensor, int]]:
    """The dims that differ from those of the first and are not put together."""
    first, *others = tensors
    along = refusal.match.groupdict().get("dim")
    return [
        (first, other, dim)
        for other in others
        if len(other.shape) == len(first.shape)
        for dim, (one, another) in enumerate(zip(first.shape, other.shape))
        if one != another and str(dim) != along
    ]


def _fixes(refusal: Refusal, tensors: list[Tensor], call: ast.Call | None) -> Iterator[Fix]:
    """Along the one dim in which they differ, if there is one; else what has a size of 1 across it is expanded."""
    if call is not None and refusal.match.group().startswith("stack"):
        yield from _padded(refusal, tensors, call)
    if call is None or refusal.match.groupdict().get("dim") is None:
        return
    shapes = {one.shape for one in tensors}
    rank = len(tensors[0].shape)
    differing = [dim for dim in range(rank) if len({shape[dim] for shape in shapes}) > 1]
    node = argument_node(call, "dim", 1)
    across = [dim for dim in differing if str(dim) != refusal.match["dim"]]
    if len(differing) > 1 and len(across) == 1:
        yield from _expanded(refusal, tensors, call, across[0])
    if rank == 4 and across and min(across) >= 2:
        yield from _resized(refusal, tensors, call)
    if len(differing) == 1 and node is not None:
        dim = str(differing[0])
        yield Fix(f"dim={dim}", "unsafe", (replace(refusal.tree.text, node, dim),))


def _padded(refusal: Refusal, tensors: list[Tensor], call: ast.Call) -> Iterator[Fix]:
    """Sequences of unlike lengths filled up to the longest."""
    alike = len({one.shape[1:] for one in tensors}) == 1 and all(one.shape for one in tensors)
    if alike and len(call.args) == 1 and not call.keywords:
        pad = name_for(refusal.tree, "torch.nn.utils.rnn.pad_sequence") or "torch.nn.utils.rnn.pad_sequence"
        text = refusal.tree.text
        written = source(text, call.args[0])
        new = f"{pad}({written}, batch_first=True)"
        yield Fix("pad to the longest: pad_sequence", "unsafe", (replace(text, call, new),))
        if all(one.dtype == "int64" and len(one.shape) == 1 for one in tensors):
            new = f"{pad}({written}, batch_first=True, padding_value=-100)"
            title = "pad to the longest with -100, which losses leave out"
            yield Fix(title, "unsafe", (replace(text, call, new),))


def _resized(refusal: Refusal, tensors: list[Tensor], call: ast.Call) -> Iterator[Fix]:
    """Images of unlike sizes: the smaller one made as large as the other, where that has a name."""
    nodes = call.args[0].elts if call.args and isinstance(call.args[0], (ast.List, ast.Tuple)) else []
    function = name_for(refusal.tree, "torch.nn.functional.interpolate")
    if len(tensors) != 2 or len(nodes) != 2 or function is None:
        return
    small, large = sorted(zip(tensors, nodes), key=lambda pair: [size or 0 for size in pair[0].shape[2:]])
    if isinstance(large[1], (ast.Name, ast.Attribute)):
        text = refusal.tree.text
        name = source(text, large[1])
        new = f"{function}({source(text, small[1])}, size={name}.shape[2:])"
        yield Fix(f"as large as {name}: interpolate", "unsafe", (replace(text, small[1], new),))


def _expanded(refusal: Refusal, tensors: list[Tensor], call: ast.Call, dim: int) -> Iterator[Fix]:
    """The one that has a size of 1 there as large as the others, where one of them has a name."""
    nodes = call.args[0].elts if call.args and isinstance(call.args[0], (ast.List, ast.Tuple)) else []
    small = [node for one, node in zip(tensors, nodes) if one.shape[dim] == 1]
    named = [
        node
        for one, node in zip(tensors, nodes)
        if one.shape[dim] != 1 and isinstance(node, ast.Name) and len(nodes) == len(tensors)
    ]
    sizes = {one.shape[dim] for one in tensors} - {1}
    if len(small) == len(sizes) == 1 and named and not any(isinstance(node, ast.Starred) for node in nodes):
        size = f"{named[0].id}.shape[{dim}]"
        many = ", ".join(size if at == dim else "-1" for at in range(len(tensors[0].shape)))
        edit = append(refusal.tree.text, small[0], f".expand({many})")
        yield Fix(f"add .expand({many})", "unsafe", (edit,))
