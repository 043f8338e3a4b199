"""A sum, mean or norm put back against what it reduced, along the wrong dim: silent on a square."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import keep_dim
from ..queries.broadcasts import BackBroadcast, back_broadcasts
from ..queries.lineage import short
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.reduced import met_again
from .asking.tree import Tree

RULE = "reduction-broadcast-back"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such op: an error where torch raises, a warning where it silently goes wrong."""
    told: set[Span] = set()
    for found in back_broadcasts(log):
        failure = found.op.failure
        if failure is not None and (failure.caught or found.reduction.span in told):
            continue  # one keepdim mends both
        if failure is not None:
            told.add(found.reduction.span)
        reduction = short(found.reduction.name)
        source = found.reduction.args[0]
        assert isinstance(source, Tensor)
        whole, reduced = list(source.shape), list(found.reduced.shape)
        dims = ", ".join(map(str, found.dims))
        lands = f"{reduction}(dim={dims}) of {whole} gives {reduced}, which broadcasts along the last dim and not along dim {dims}"
        message = (
            f"{failure.message}\n{lands}."
            if failure is not None
            else f"{lands}: every row meets the {reduction} of another. Keep the dim with keepdim=True."
        )
        yield Finding(
            RULE,
            found.op.span,
            "warning" if failure is None else "error",
            message,
            None if failure is None else failure.message,
            (Related(found.reduction.span, f"{reduction} drops dim {dims} here"),),
            _fixes(found, tree),
        )
    yield from _as_written(log, tree)


def _as_written(log: Log, tree: Tree) -> Iterator[Finding]:
    """Those of code of which no rank is known, and that did not run."""
    ran: set[Span] | None = None
    for one in met_again(tree.course):
        node = one.event.node
        if ran is None:
            whole = tree.tried or log
            ran = {
                event.span for event in (*whole.events, *log.events) if not whole.frames[event.frame].assumed
            }
        if (
            not isinstance(node, ast.BinOp)
            or tree.span(node) in ran
            or not isinstance(one.reduction.node, ast.Call)
        ):
            continue
        call = one.reduction.node
        yield Finding(
            RULE,
            tree.span(node),
            "warning",
            f"{one.name}(dim={one.dim}) drops its dim, and what is left broadcasts along the last dim, not along dim {one.dim}: it raises, or "
            f"every row meets the {one.name} of another. Keep the dim with keepdim=True.",
            None,
            (Related(tree.span(call), f"{one.name} drops dim {one.dim} here"),),
            (Fix("keep the reduced dim (keepdim=True)", "unsafe", (keep_dim(tree.text, call),)),),
        )


def _fixes(found: BackBroadcast, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(found.reduction.span, ast.Call)
    if call is None:
        return ()
    safety = "unsafe" if found.op.failure is None else "safe"
    return (Fix("keep the reduced dim (keepdim=True)", safety, (keep_dim(tree.text, call),)),)
