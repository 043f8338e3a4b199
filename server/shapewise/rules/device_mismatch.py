"""Tensors on different devices in one op, traced to the one that was left behind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .refusals import Refusal, refusals
from .tree import Tree

RULE = "device-mismatch"
_PATTERNS = (
    re.compile(r"Expected all tensors to be on the same device"),
    re.compile(r"indices should be either on cpu or on the same device"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op between devices that torch refuses."""
    for refusal in refusals(log, tree, *_PATTERNS):
        yield refusal.finding(RULE, related=_related(refusal), fixes=[*_fixes(refusal)])


def _behind(refusal: Refusal) -> list[Tensor]:
    """The tensors on the CPU."""
    return [one for one in refusal.operands if one.device == "cpu"]


def _related(refusal: Refusal) -> Iterator[Related]:
    """Where what stands on the CPU was made, or the layer that was not moved."""
    layer = refusal.lineage.builder(refusal.failure.layer)
    for tensor in _behind(refusal)[:1]:
        maker = _first(refusal, tensor)
        if maker is not None and refusal.here(maker) and maker.span != refusal.op.span:
            yield Related(maker.span, "made on the CPU here")
        elif maker is None and layer is not None and refusal.here(layer):
            yield Related(layer.span, "this layer is on the CPU")


def _first(refusal: Refusal, tensor: Tensor) -> Op | None:
    """The op that made a tensor of no other on this device."""
    seen: set[int] = set()
    op = refusal.lineage.maker(tensor)
    while op is not None and id(op) not in seen:
        seen.add(id(op))
        source = next((arg for arg in op.args if isinstance(arg, Tensor) and arg.device == "cpu"), None)
        before = refusal.lineage.maker(source) if source is not None else None
        if before is None:
            return op
        op = before
    return op


def _fixes(refusal: Refusal) -> Iterator[Fix]:
    """Bring what was left behind to the others."""
    other = next((one for one in refusal.operands if one.device != "cpu"), None)
    name = "" if other is None else refusal.name_of(other)
    for tensor in _behind(refusal)[:1]:
        if name and re.fullmatch(r"[\w.]+", name):
            yield from refusal.behind(tensor, f".to({name}.device)")
        elif (device := _device_name(refusal)) is not None:
            yield from refusal.behind(tensor, f".to({device})")


def _device_name(refusal: Refusal) -> str | None:
    """`device`, if the file has a variable of that name at its top level."""
    for node in refusal.tree.course.tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id.lower() == "device":
                    return target.id
    return None
