"""Hits of the k likeliest classes, of which the first k samples are taken in the place of the first k classes."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.origins import before
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.along import dim_of
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "hits-sliced-over-batch"
_COMPARED = frozenset("== eq".split())
_FAR = 8


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each slice of as many samples as there are ranks at most, of hits that were made of `topk`."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("[]",)) if ops_of(log, ("topk",)) else ():
        hits, part = op.args[0], op.result
        if not isinstance(hits, Tensor) or not isinstance(part, Tensor) or hits.dtype != "bool":
            continue
        if len(hits.shape) != 2 or len(part.shape) != 2:
            continue
        ranks, chosen = _ranks(lineage, hits)
        if chosen is None or ranks is None:
            continue
        many, samples = hits.shape[ranks], hits.shape[1 - ranks]
        taken = part.shape[1 - ranks]
        if not isinstance(many, int) or not isinstance(samples, int) or not isinstance(taken, int):
            continue
        if part.shape[ranks] == many > 1 and taken <= many < samples:
            yield found_at(
                RULE,
                op.span,
                f"the ranks of these hits {list_of(hits.shape)} are in dim {ranks}, and {taken} of dim {1 - ranks} are taken: the first "
                f"samples, with all of their ranks. The first {taken} ranks are in dim {ranks}.",
                related=[Related(chosen.span, f"the {many} likeliest classes")],
            )


def _ranks(lineage: Lineage, hits: Tensor) -> tuple[int | None, Op | None]:
    """The dim (from 0) of a comparison in which the classes stand that `topk` has chosen, likeliest first."""
    compared = lineage.maker(hits)
    if compared is None or short(compared.name) not in _COMPARED:
        return None, None
    for given in (arg for arg in compared.args if isinstance(arg, Tensor) and arg.shape == hits.shape):
        for dim in (0, 1):
            tensor, at = given, dim
            for _ in range(_FAR):
                maker = lineage.maker(tensor)
                if maker is not None and short(maker.name) == "topk":
                    if dim_of(lineage, maker, len(tensor.shape)) == at:
                        return dim, maker
                    break
                earlier = None if maker is None else before(maker, tensor, at)
                if earlier is None:
                    break
                tensor, at = earlier
    return None, None
