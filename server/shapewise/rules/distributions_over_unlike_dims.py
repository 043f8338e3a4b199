"""Two distributions that are compared, and add up to one along different dims."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.along import another_dim
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import softmax_behind
from .telling.found import found_at

RULE = "distributions-over-unlike-dims"
UNCALLED = True
_DIVERGENCES = frozenset("kl_div KLDivLoss()".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each divergence, and each product of shares with logarithms of others, of softmaxes over two dims."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        pair = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(pair) != 2 or pair[0].shape != pair[1].shape or len(pair[0].shape) < 2:
            continue
        if short(op.name) not in _DIVERGENCES and short(op.name) not in ("*", "mul"):
            continue
        ways = [softmax_behind(lineage, one, len(one.shape) - 1) for one in pair]
        if ways[0] is None or ways[1] is None or ways[0][1] == ways[1][1]:
            continue
        if short(op.name) not in _DIVERGENCES and not _is_cross_entropy(
            lineage, ways[0][0], ways[1][0], pair
        ):
            continue
        rank = len(pair[0].shape)
        wrong, right = ways[::-1] if ways[1][1] != rank - 1 else ways
        assert wrong is not None and right is not None
        if 1 in (pair[0].shape[wrong[1]], pair[0].shape[right[1]]):
            continue
        yield found_at(
            RULE,
            wrong[0].span,
            f"these add up to one along dim {wrong[1]} of {list_of(pair[0].shape)}, and what they are compared with along dim "
            f"{right[1]}: one of the two is no distribution there. Take both over dim {right[1] - rank}.",
            *another_dim(tree, wrong[0], right[1] - rank),
            related=[Related(right[0].span, f"over dim {right[1]}"), Related(op.span, "compared here")],
        )


def _is_cross_entropy(lineage: Lineage, one: Op, other: Op, pair: list[Tensor]) -> bool:
    """Whether the one operand is logarithms and the other is not: matching multiplies shares by shares on purpose."""
    logs = [_is_logarithm(lineage, softmax, tensor) for softmax, tensor in zip((one, other), pair)]
    return logs[0] != logs[1]


def _is_logarithm(lineage: Lineage, softmax: Op, tensor: Tensor) -> bool:
    maker = lineage.maker(tensor)
    return short(softmax.name) in ("log_softmax", "LogSoftmax()", "-", "sub") or (
        maker is not None and short(maker.name) == "log"
    )
