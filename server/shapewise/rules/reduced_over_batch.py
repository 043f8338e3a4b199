"""A layer that is given one mean for all samples of a batch, where each sample's own is meant."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import short
from ..queries.ops import ops_of
from ..queries.values import integers
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "reduced-over-batch"
UNCALLED = True
_REDUCES = frozenset("mean sum amax max amin var std".split())
_LAYERS = frozenset("Linear() Conv1d() Conv2d() Conv3d() Sequential()".split())
_MOVES = frozenset("view reshape unsqueeze [] flatten squeeze expand".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each reduction of maps over their samples and all places at once that a layer with weights is given."""
    pooled: dict[int, Op] = {}
    told: set[object] = set()
    for op in ops_of(log):
        name = short(op.name)
        given = [one for one in op.args if isinstance(one, Tensor)]
        if name in _REDUCES and given and isinstance(op.result, Tensor) and op.failure is None:
            rank, gone = len(given[0].shape), integers([op.argument("dim", "axis", at=1)]) or ()
            is_of_all = rank in (4, 5) and {one % rank for one in gone} == {0, *range(2, rank)}
            if is_of_all and given[0].shape[0] != 1:
                pooled[op.result.id] = op
        elif name in _MOVES and given and given[0].id in pooled and isinstance(op.result, Tensor):
            pooled[op.result.id] = pooled[given[0].id]
        elif name in _LAYERS and given and given[0].id in pooled:
            made = pooled[given[0].id]
            if made.span in told:
                continue
            told.add(made.span)
            whole = made.args[0]
            assert isinstance(whole, Tensor)
            yield found_at(
                RULE,
                made.span,
                f"dim 0 of {list_of(whole.shape)} is the batch: this is one {short(made.name)} for all samples, and what the layer makes of it "
                "for one of them hangs on the others. Leave dim 0 out.",
                related=[Related(op.span, "given to a layer here")],
            )
