"""Items of different lengths, and a loader that can only stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.values import constant, roots
from ..queries.lineage import lineage_of
from ..queries.origins import source
from ..vocabulary.events import Bound, Group, Log, Sizes, Tensor
from ..vocabulary.findings import Finding, Related
from ..vocabulary.span import Span
from .found import found
from .loaders import loaders
from .refusals import list_of
from .tree import Tree

RULE = "ragged-default-collate"
_RANDOM = frozenset("randint randrange choice integers poisson randperm random".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader without a collate_fn over a data set of the file whose items have no common shape."""
    for loader in loaders(tree.course):
        if (
            loader.is_open
            or loader.given("collate_fn", 6) is not None
            or loader.given("batch_sampler", 4) is not None
        ):
            continue
        size = loader.given("batch_size", 1)
        if size is None or constant(size) in (None, 1):
            continue
        for dataset in roots(loader.given("dataset", 0)):
            if dataset.cls is None or "__getitem__" not in dataset.cls.methods:
                continue
            ragged = _ragged(log, tree, f"{dataset.cls.node.name}.__getitem__")
            if ragged is not None:
                said, where = ragged
                yield found(
                    RULE,
                    tree,
                    loader.event.node,
                    f"the items of this data set have different shapes ({said}), and the loader stacks the items of a batch: "
                    "it raises at the first batch of two lengths. Give it a collate_fn that pads.",
                    related=[Related(where, "returned here")],
                )


def _ragged(log: Log, tree: Tree, scope: str) -> tuple[str, Span] | None:
    """Two shapes that items have at the same place, and where they are returned. None if they may all be equal."""
    seen: dict[int, Sizes] = {}
    for event in log.events:
        if not isinstance(event, Bound) or event.kind != "return" or log.frames[event.frame].scope != scope:
            continue
        items = event.value.items if isinstance(event.value, Group) else (event.value,)
        for place, item in enumerate(items):
            if not isinstance(item, Tensor):
                continue
            before = seen.setdefault(place, item.shape)
            if None not in (*before, *item.shape) and before != item.shape:
                return f"{list_of(before)}, {list_of(item.shape)}", event.span
            if any(size is None and _drawn(log, tree, item, dim) for dim, size in enumerate(item.shape)):
                return f"{list_of(item.shape)}, with lengths drawn one by one", event.span
    return None


def _drawn(log: Log, tree: Tree, tensor: Tensor, dim: int) -> bool:
    """Whether the size of a dim is drawn where this one tensor is made."""
    lineage = lineage_of(log)
    made = lineage.maker(source(lineage, tensor, dim)[0])
    call = None if made is None else tree.at(made.span, ast.Call)
    if made is None or call is None:
        return False
    sizes = [part for arg in call.args for part in ast.walk(arg)]
    if log.frames[made.frame].scope.endswith(".__getitem__"):
        names = {part.id for part in sizes if isinstance(part, ast.Name)}
        function = tree.course.places.function(call)
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id in names for t in node.targets
            ):
                sizes += ast.walk(node.value)
    return any(isinstance(part, ast.Call) and _called(part) in _RANDOM for part in sizes)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
