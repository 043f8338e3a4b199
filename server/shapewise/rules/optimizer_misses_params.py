"""A layer put into the model after the optimizer was made: it is never trained."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.training import is_module, is_optimizer, owned
from ..program.values import same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "optimizer-misses-params"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer set on a model after an optimizer got the model's parameters."""
    course = tree.course
    if course.calls(".add_param_group"):
        return
    makers = [
        e for e in course.of_kind("call") if e.name.startswith("torch.optim.") and is_optimizer(e.value)
    ]
    for maker in makers:
        assert maker.value is not None
        models = owned(maker.value)
        for event in (*course.of_kind("set"), *course.of_kind("store")):
            if event.root != maker.root or event.index < maker.index or event.on is None:
                continue
            layer = event.args[-1]
            owner = event.on if event.kind == "set" else event.on.on
            if owner is None or not any(same(owner, model) for model in models or ()):
                continue
            if not is_module(layer, surely=True) or any(
                other.root == maker.root and other.index > event.index for other in makers
            ):
                continue
            yield found(
                RULE,
                tree,
                event.node,
                "the optimizer was given the parameters before this layer was there: it goes on training the old "
                "one. Change the model first, then make the optimizer.",
                related=[Related(tree.span(maker.node), "the optimizer")],
            )
