"""A distributed sampler that shuffles every epoch in the same way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.events import Loop
from ..program.values import Value, constant, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.loaders import Loader, loaders
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "ddp-missing-set-epoch"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every epoch loop over a loader with a DistributedSampler that shuffles, without set_epoch."""
    course = tree.course
    for loader in loaders(course):
        sampler = loader.given("sampler", 3)
        made = [root for root in roots(sampler) if root.by == "torch.utils.data.DistributedSampler"]
        if sampler is None or not made or constant(made[0].argument("shuffle", 3)) is False:
            continue
        if any(
            one.on is not None and (same(one.on, sampler) or one.on.name == "sampler")
            for one in course.calls(".set_epoch")
        ):
            continue
        for loop in loader.loops:
            around = next((event.loops for event in course.in_loop(loop) if loop in event.loops), [])
            if around.index(loop) == 0 if loop in around else True:
                continue
            outer = around[around.index(loop) - 1]
            if not isinstance(outer.node, (ast.For, ast.While)):
                continue
            name = _written(tree, loop, loader, made[0])
            epoch = text_of(tree, outer.node.target) if isinstance(outer.node, ast.For) else ""
            fixes = []
            if name and epoch.isidentifier() and epoch != "_":
                edit = insert_before(tree.text, outer.node.body[0], f"{name}.set_epoch({epoch})")
                fixes = [fix("tell it the epoch", edit, safe=True)]
            yield found(
                RULE,
                tree,
                outer.node,
                "without set_epoch the sampler shuffles with the same seed each epoch: the same order every time.",
                *fixes,
                related=[Related(tree.span(made[0].node), "the sampler")] if made[0].node is not None else [],
            )


def _written(tree: Tree, loop: Loop, loader: Loader, sampler: Value) -> str:
    """How the sampler can be called in the loop: by its own name, else through the loader that the loop goes over."""
    places = tree.course.places
    if sampler.name.isidentifier() and sampler.node is not None:
        if places.function(sampler.node) is places.function(loop.node):
            return sampler.name
    over = loop.node.iter if isinstance(loop.node, ast.For) else None
    if isinstance(over, (ast.Name, ast.Attribute)) and loop.over is loader.value:
        return f"{text_of(tree, over)}.sampler"
    return ""
