"""Two linear layers in a row are one linear layer."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import Value, number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "missing-activation"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Two Linear layers side by side in a Sequential, but for a bottleneck, which is meant."""
    for event in tree.course.calls("torch.nn.Sequential"):
        for first, second in zip(event.args, event.args[1:]):
            if (
                first.by != "torch.nn.Linear"
                or second.by != "torch.nn.Linear"
                or _is_bottleneck(first, second)
            ):
                continue
            if second.node is None or first.node is None:
                continue
            yield found(
                RULE,
                tree,
                second.node,
                "two Linear layers without an activation between them compute no more than one.",
                related=[Related(tree.span(first.node), "the one before")],
            )


def _is_bottleneck(first: Value, second: Value) -> bool:
    """Whether the width between the two is smaller than on both sides, or not known."""
    sizes = [number(first.argument("in_features", 0)), number(first.argument("out_features", 1))]
    last = number(second.argument("out_features", 1))
    if sizes[0] is None or sizes[1] is None or last is None:
        return True
    return sizes[1] < min(sizes[0], last)
