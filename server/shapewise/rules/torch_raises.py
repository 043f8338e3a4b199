"""Any call that torch refuses, in torch's own words: what no other rule knows the cause of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..queries.lineage import tensors
from ..vocabulary.events import Group, Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, is_torchs, refusals
from .asking.tree import Tree
from .mending.checkpoint import as_saved, other_layer, renamed
from .mending.widths import other_source

RULE = "torch-raises"
_HALF_BUILT = re.compile(r"object has no attribute '_(modules|parameters|buffers|\w*hooks)'")
"""A module whose constructor failed, which is told there."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of torch's that fails and that nothing catches."""
    for refusal in refusals(log, tree):
        if is_torchs(refusal.op) and not _HALF_BUILT.search(refusal.message):
            fixes = (*_first_of_several(refusal), *_hidden(refusal), *as_saved(refusal), *renamed(refusal))
            yield refusal.finding(RULE, related=_related(refusal), fixes=fixes)


def _related(refusal: Refusal) -> tuple[Related, ...]:
    """The layer that a checkpoint does not fit, beside what is always told."""
    layer = other_layer(refusal)
    if layer is None:
        return ()
    built, name, _, saved = layer
    return (Related(built.span, f"{name} was {saved} where it was saved"), *refusal.made())


_SEVERAL = re.compile(
    r"must be Tensor, not tuple|'(tuple|torch\.return_types\.\w+)' object has no attribute|can't multiply sequence by non-int"
    r"|unsupported operand type|bad operand type|'[<>]=?' not supported between|can only concatenate tuple"
)


def _first_of_several(refusal: Refusal) -> Iterator[Fix]:
    """The tensor of the several things that a layer gives: `out, state = lstm(x)`, of which the first was meant."""
    if not _SEVERAL.search(refusal.message):
        return
    attribute = refusal.tree.at(refusal.op.span, ast.Attribute)
    written = (
        (attribute.value,) if refusal.op.name == "attribute" and attribute is not None else refusal.written
    )
    for arg, node in zip(refusal.op.args, written):
        if isinstance(arg, Group) and arg.kind != "list" and arg.items and isinstance(arg.items[0], Tensor):
            yield Fix("take the first of the several", "unsafe", (append(refusal.tree.text, node, "[0]"),))
            return


_HIDDEN = re.compile(
    r"Expected hidden(?:\[(?P<at>\d)\])? size \((?P<wanted>[\d, ]+)\), got \[(?P<given>[\d, ]+)\]"
)


def _hidden(refusal: Refusal) -> Iterator[Fix]:
    """A state of a recurrent layer made as it has to be, where it is made with another number in one dim."""
    match = _HIDDEN.match(refusal.message)
    if match is None:
        return
    wanted, given = (tuple(map(int, match[name].split(","))) for name in ("wanted", "given"))
    states = [one for arg in refusal.op.args[2:3] for one in tensors(arg)]
    at = int(match["at"] or 0)
    unlike = [dim for dim, (one, other) in enumerate(zip(wanted, given)) if one != other]
    if len(wanted) == len(given) and len(unlike) == 1 and at < len(states) and states[at].shape == given:
        yield from other_source(refusal, states[at], unlike[0], wanted[unlike[0]])
