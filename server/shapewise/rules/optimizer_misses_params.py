"""A layer put into the model after the optimizer was made: it is never trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.training import is_module, is_optimizer, owned
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "optimizer-misses-params"
_NOT_RANDOM = ("requires_grad", "load_state_dict", "pretrained", "torch.load", "hub.load")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer set on a model after an optimizer got the model's parameters."""
    course = tree.course
    if course.calls(".add_param_group"):
        return
    yield from _part_only(tree)
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


def _part_only(tree: Tree) -> Iterator[Finding]:
    """An optimizer given one part of a model whose other parts start at random and are trained by none."""
    course = tree.course
    if any(word in tree.text for word in _NOT_RANDOM):
        return  # then the other parts are good as they are
    makers = [
        e for e in course.of_kind("call") if e.name.startswith("torch.optim.") and is_optimizer(e.value)
    ]
    given = [event.argument("params", 0) for event in makers]
    if len(makers) != 1 or given[0] is None or given[0].by != ".parameters" or given[0].on is None:
        return
    part = given[0].on
    for whole, built in ((one, one.cls) for one in course.instances.values() if one.cls is not None):
        if not built.is_only_module or not any(same(one, part) for one in whole.attrs.values()):
            continue
        trained = any(any(root is whole for root in roots(event.on)) for event in course.calls("()"))
        others = [
            name
            for name, one in whole.attrs.items()
            if not same(one, part) and _has_weights(one) and name not in ("ema", "target")
        ]
        if trained and others and tree.training.backwards and "no_grad" not in ast.unparse(built.node):
            node = makers[0].node
            yield found(
                RULE,
                tree,
                node,
                f"the optimizer gets one part of the model only: {', '.join(others)} keep their random weights.",
            )
            return


def _has_weights(value: Value) -> bool:
    return any(
        root.by in ("torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Embedding")
        for root in roots(value)
    )
