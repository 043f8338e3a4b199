"""Tensors on different devices in one op, traced to the one that was left behind."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.clash import CLASHES
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, refusals
from .asking.tree import Tree
from .mending.devices import to_the_cpu, to_the_others

RULE = "device-mismatch"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op between devices that torch refuses."""
    for one, remark in ((log, ()), (log.on_a_card, ("On a machine with a card:",))):
        told: set[object] = set()
        for refusal in () if one is None else refusals(one, tree, *CLASHES):
            left = _left_behind(refusal)
            if left is None or (root := _root(refusal, left)) not in told:
                told |= {refusal.op.span} if left is None else {root}
                related, fixes = _related(refusal, left), _fixes(refusal, left)
                yield refusal.finding(RULE, [*remark, *refusal.table()], related, fixes)


def _left_behind(refusal: Refusal) -> Tensor | None:
    """The first operand that is on the CPU."""
    return next((one for one in refusal.operands if one.device == "cpu"), None)


def _root(refusal: Refusal, left: Tensor) -> object:
    """What names the mistake: the op that made the first tensor of those on the CPU, or the tensor itself."""
    op = _first(refusal, left)
    return (op.frame, op.span) if op is not None else left.id


def _related(refusal: Refusal, left: Tensor | None) -> Iterator[Related]:
    """Where what stands on the CPU was made, or the layer that was not moved."""
    maker = None if left is None else _first(refusal, left)
    layer = refusal.lineage.builder(refusal.failure.layer)
    if maker is not None and refusal.here(maker) and maker.span != refusal.op.span:
        yield Related(maker.span, "made on the CPU here")
    elif maker is None and left is not None and layer is not None and refusal.here(layer):
        if refusal.operands[0].device != "cpu" and left not in refusal.op.args:
            yield Related(layer.span, "this layer is on the CPU")


def _first(refusal: Refusal, left: Tensor) -> Op | None:
    """The op that made the first tensor on the CPU from which this one comes."""
    seen: set[int] = set()
    op = refusal.lineage.maker(left)
    while op is not None and id(op) not in seen:
        seen.add(id(op))
        source = next((arg for arg in op.args if isinstance(arg, Tensor) and arg.device == "cpu"), None)
        before = refusal.lineage.maker(source) if source is not None else None
        if before is None:
            return op
        op = before
    return op


def _fixes(refusal: Refusal, left: Tensor | None) -> Iterator[Fix]:
    """Bring what was left behind to the others."""
    if left is not None and any(one.device != "cpu" for one in refusal.operands):
        yield from to_the_others(refusal, left, _first(refusal, left))
    elif left is None and refusal.failure.message.startswith("'lengths' argument"):
        yield from to_the_cpu(refusal, refusal.operands[-1])
