"""A sum, mean or norm put back against what it reduced, along the wrong dim: silent on a square."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import keep_dim
from ..queries.broadcasts import BackBroadcast, back_broadcasts
from ..queries.lineage import short
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree

RULE = "reduction-broadcast-back"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such op: an error where torch raises, a warning where it silently goes wrong."""
    for found in back_broadcasts(log):
        failure = found.op.failure
        if failure is not None and failure.caught:
            continue
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


def _fixes(found: BackBroadcast, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(found.reduction.span, ast.Call)
    if call is None:
        return ()
    safety = "unsafe" if found.op.failure is None else "safe"
    return (Fix("keep the reduced dim (keepdim=True)", safety, (keep_dim(tree.text, call),)),)
