"""A model moved after DDP has taken it."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "to-after-ddp"
_DDP = "torch.nn.parallel.DistributedDataParallel"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move of what DDP gave."""
    for event in tree.course.calls(".to", ".cuda", ".half", ".bfloat16"):
        if event.on is None or not all(one.by == _DDP for one in options_of(event.on)):
            continue
        maker = next((one for one in tree.course.calls(_DDP) if one.value is options_of(event.on)[0]), None)
        if maker is None or maker.function is not event.function or maker.branches_in(None):
            continue
        made = options_of(event.on)[0].node
        yield found(
            RULE,
            tree,
            event.node,
            "DDP has looked at the parameters where they were, and made its buckets for them. Move the model first, then "
            "wrap it.",
            related=[Related(tree.span(made), "wrapped here")]
            if made is not None and made is not event.node
            else [],
        )
