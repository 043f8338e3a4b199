"""A transposed tensor copied to the GPU, which keeps its strides."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import lineage_of, short, told
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "noncontiguous-h2d"
_TURNS = frozenset("T mT t transpose permute swapaxes swapdims movedim".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every copy from the CPU to a card of a tensor that is not contiguous because its dims were swapped."""
    for one in (log, log.on_a_card):
        yield from () if one is None else _copies(one, tree)


def _copies(log: Log, tree: Tree) -> Iterator[Finding]:
    lineage = lineage_of(log)
    for op in ops_of(log, ("to", "cuda")):
        given, made = op.args[0] if op.args else None, op.result
        if not isinstance(given, Tensor) or not isinstance(made, Tensor):
            continue
        if given.device != "cpu" or made.device in (None, "cpu", "meta") or given.contiguous is not False:
            continue
        turn = lineage.maker(given)
        call = tree.at(op.span, ast.Call)
        if turn is None or call is None or short(turn.name) not in _TURNS:
            continue
        yield found(
            RULE,
            tree,
            call,
            f"this tensor is not contiguous since {told(turn.name)}, and the copy keeps its strides: on the card it is not "
            "contiguous either. Move it first; swap the dims there, and make it contiguous there if it is read often.",
            *_fixes(tree, call, turn),
        )


def _fixes(tree: Tree, call: ast.Call, turn: Op) -> Iterator[Fix]:
    """`x.T.to(d)` as `x.to(d).T`."""
    assert isinstance(call.func, ast.Attribute)
    inner = call.func.value
    swap = inner.func if isinstance(inner, ast.Call) else inner
    if not isinstance(swap, ast.Attribute) or tree.at(turn.span, ast.expr) not in (inner, swap):
        return
    whole, base, turned = (source(tree.text, one) for one in (call, swap.value, inner))
    if whole.startswith(turned) and turned.startswith(base) and base != "torch":
        moved = base + whole[len(turned) :] + turned[len(base) :]
        yield fix("move first, then swap", replace(tree.text, call, moved))
